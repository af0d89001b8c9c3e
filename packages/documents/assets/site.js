// What pages do beyond being read: the theme, and the search with its keys.
;(() => {
  const root = document.documentElement
  const ready =
    document.readyState === 'loading'
      ? new Promise((go) => document.addEventListener('DOMContentLoaded', go))
      : Promise.resolve()
  void ready.then(() => {
    addThemeButton()
    addSearch()
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

  // Lists of tasks, and due dates

  function addLists() {
    if (!document.querySelector('.finder, time[data-due]')) return
    const script = make('script', { src: `${root.dataset.root}assets/lists.js` })
    script.onload = () => collabLists.start()
    document.head.append(script)
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
      button.title = `Theme: ${theme}`
      button.setAttribute('aria-label', `Theme: ${theme}`)
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

  // Search

  function addSearch() {
    /** @type {HTMLElement} */
    const place = document.querySelector('.search')
    const input = make('input', {
      ...{ type: 'search', placeholder: 'Search', autocomplete: 'off', spellcheck: false, enterKeyHint: 'search' },
      ...{ role: 'combobox', 'aria-label': 'Search', 'aria-autocomplete': 'list', 'aria-expanded': 'false' },
      ...{ 'aria-controls': 'results', 'aria-keyshortcuts': '/' },
    })
    const status = make('p', { className: 'status', role: 'status' })
    const scope = make('button', { type: 'button', className: 'scope' })
    const list = make('div', { id: 'results', role: 'listbox', 'aria-label': 'Results' })
    const panel = make(
      'div',
      { className: 'panel', hidden: true },
      make('div', { className: 'panel-head' }, status, scope),
      list,
    )
    place.append(input, make('kbd', { ariaHidden: 'true' }, '/'), panel)

    let folder = root.dataset.project
    let asked = 0
    let active = -1
    let timer

    const options = () => [...list.children]
    const close = () => {
      panel.hidden = true
      input.setAttribute('aria-expanded', 'false')
      choose(-1)
    }
    const open = () => {
      panel.hidden = false
      input.setAttribute('aria-expanded', 'true')
    }

    function choose(index) {
      const all = options()
      active = all.length === 0 || index < 0 ? -1 : index % all.length
      for (const [at, option] of all.entries()) option.setAttribute('aria-selected', String(at === active))
      if (active === -1) input.removeAttribute('aria-activedescendant')
      else {
        input.setAttribute('aria-activedescendant', all[active].id)
        all[active].scrollIntoView({ block: 'nearest' })
      }
    }

    const showScope = () => {
      scope.hidden = root.dataset.project === ''
      scope.textContent = folder === '' ? 'Only this project' : 'All projects'
    }

    const parts = (pieces) => pieces.map(({ text, isHit }) => (isHit ? make('mark', {}, text) : text))

    function option(result, index, question, isLast) {
      const { shard, title, kind, address } = result
      const to = `${root.dataset.root}${shard.project.folder.split('/').map(encodeURIComponent).join('/')}/${address}`
      const from = folder === '' ? `${shard.project.name ?? 'Untitled'} · ${kind}` : kind
      const text = make('span', { className: 'excerpt' })
      // Not for what may be gone in a moment: texts are in files of their own.
      if (isLast) void collabSearch.excerpt(result, question).then((pieces) => text.replaceChildren(...parts(pieces)))
      return make(
        'a',
        { id: `result-${index}`, role: 'option', href: to, tabIndex: -1, 'aria-selected': 'false' },
        make('span', { className: 'title' }, ...parts(collabSearch.marked(title, question))),
        make('span', { className: 'from' }, from),
        text,
      )
    }

    function show(question, { results, total, share, isLast }) {
      list.setAttribute('aria-busy', String(!isLast))
      const count = `${total.toLocaleString('en')} ${total === 1 ? 'result' : 'results'}`
      if (!isLast) status.textContent = `${count} so far (${Math.floor(share * 100)} %)`
      else if (total === 0) status.textContent = 'Nothing found'
      else status.textContent = total > results.length ? `${count}, the best ${results.length}` : count
      if (isLast || active === -1) {
        list.replaceChildren(...results.map((result, index) => option(result, index, question, isLast)))
        choose(-1)
      }
    }

    async function ask() {
      const question = input.value.trim()
      const number = ++asked
      showScope()
      if (question === '') {
        list.replaceChildren()
        close()
        return
      }
      status.textContent = 'Searching…'
      list.setAttribute('aria-busy', 'true')
      open()
      try {
        await ready
        await loadSearch()
        await collabSearch.find(
          question,
          folder,
          () => number === asked,
          (found) => show(question, found),
        )
      } catch (error) {
        status.textContent = `The search does not work: ${error.message}`
      }
    }

    input.addEventListener('input', () => {
      clearTimeout(timer)
      timer = setTimeout(ask, 120)
    })
    input.addEventListener('focus', () => {
      if (input.value.trim() !== '' && list.children.length > 0) open()
    })
    input.addEventListener('keydown', (event) => {
      if (event.isComposing) return
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        const count = options().length
        event.preventDefault()
        if (panel.hidden) open()
        else if (count > 0) choose(event.key === 'ArrowDown' ? active + 1 : active <= 0 ? count - 1 : active - 1)
      } else if (event.key === 'Enter') {
        event.preventDefault()
        options()[Math.max(0, active)]?.click()
      } else if (event.key === 'Escape' && !panel.hidden) {
        event.preventDefault()
        close()
      }
    })
    scope.addEventListener('click', () => {
      folder = folder === '' ? root.dataset.project : ''
      input.focus()
      void ask()
    })
    document.addEventListener('click', (event) => {
      if (event.target instanceof Node && !place.contains(event.target)) close()
    })
    place.addEventListener('focusout', (event) => {
      if (event.relatedTarget instanceof Node && !place.contains(event.relatedTarget)) close()
    })
    document.addEventListener('keydown', (event) => {
      const typing =
        event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]')
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.focus()
      input.select()
    })
  }

  let searchLoading
  function loadSearch() {
    searchLoading ??= new Promise((resolve, reject) => {
      const script = make('script', { src: `${root.dataset.root}assets/search.js` })
      script.onload = resolve
      script.onerror = () => reject(new Error('assets/search.js is missing'))
      document.head.append(script)
    })
    return searchLoading
  }
})()
