// What pages do beyond being read: the theme, and the scripts of the search and of lists, which use its functions.
globalThis.collabSite = (() => {
  const root = document.documentElement
  const { t } = collabLanguage
  void collabLanguage.ready.then(() => {
    addThemeButton()
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

  // Theme

  function addThemeButton() {
    const THEMES = ['auto', 'light', 'dark']
    const SIGNS = { auto: '◐', light: '☀', dark: '☾' }
    const button = make('button', { type: 'button', className: 'theme' })
    const show = (theme) => {
      if (theme === 'auto') delete root.dataset.theme
      else root.dataset.theme = theme
      button.textContent = SIGNS[theme]
      button.title = t(`Theme: ${theme}`)
      button.setAttribute('aria-label', button.title)
    }
    show(THEMES.includes(root.dataset.theme) ? root.dataset.theme : 'auto')
    button.addEventListener('click', () => {
      const theme = THEMES[(THEMES.indexOf(root.dataset.theme ?? 'auto') + 1) % THEMES.length]
      show(theme)
      try {
        if (theme === 'auto') localStorage.removeItem('collab-theme')
        else localStorage.setItem('collab-theme', theme)
      } catch {
        // It holds for this page, then.
      }
    })
    document.querySelector('.tools').append(button)
  }

  return { make, load }
})()
