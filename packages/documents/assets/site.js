// Loads the scripts of the search and of lists, which use its functions.
globalThis.collabSite = (() => {
  const root = document.documentElement
  void collabLanguage.ready.then(() => {
    void load(`${root.dataset.root}assets/panel.js`)
    addLists()
  })

  /** An element with its properties and children. */
  function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(properties)) {
      if (name in element) element[name] = value
      else element.setAttribute(name, value)
    }
    element.append(...children)
    return element
  }

  const loading = new Map()
  /** Runs one of the site's scripts, once. */
  function load(src) {
    if (!loading.has(src)) {
      const promise = new Promise((resolve, reject) => {
        const script = make('script', { src })
        script.onload = resolve
        script.onerror = () => reject(new Error(`${src.replace(/^(?:\.\.\/)+/, '')} is missing`))
        document.head.append(script)
      })
      loading.set(src, promise)
    }
    return loading.get(src)
  }

  // Lists of tasks, and due dates

  function addLists() {
    if (!document.querySelector('.finder, time[data-due]')) return
    void load(`${root.dataset.root}assets/lists.js`).then(() => collabLists.start())
  }

  return { make, load }
})()
