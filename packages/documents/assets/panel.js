// The search's field and its panel: filters, results, keys.
;(() => {
  const root = document.documentElement

  const KINDS = { page: 'Pages', post: 'Posts', task: 'Tasks', event: 'Events', file: 'Files', person: 'People' }
  const KIND = { page: 'Page', post: 'Post', task: 'Task', event: 'Event', file: 'File', person: 'Person' }

  /** Pause after a key before a question is asked. */
  const PAUSE_MS = 80

  /** UTF-16 units of a question. */
  const MAX_QUESTION = 200

  /** Results that are shown at first, and with each press of the button. */
  const SHOWN = 30

  const { make, load } = collabSite
  const { t, locales } = collabLanguage

  /** @type {HTMLElement} */
  const place = document.querySelector('.search')
  const input = make('input', {
    ...{ type: 'search', placeholder: t('Search'), autocomplete: 'off', spellcheck: false, enterKeyHint: 'search' },
    ...{ role: 'combobox', 'aria-label': t('Search'), 'aria-autocomplete': 'list', 'aria-expanded': 'false' },
    ...{ 'aria-controls': 'results', 'aria-keyshortcuts': '/', maxLength: MAX_QUESTION },
  })
  const status = make('p', { className: 'status', role: 'status' })
  const scope = make('select', { className: 'scope', 'aria-label': t('Project') })
  const kinds = make('div', { className: 'kinds', role: 'group', 'aria-label': t('Kinds of results') })
  const hint = make('div', { className: 'hint', hidden: true })
  const list = make('div', { id: 'results', role: 'listbox', 'aria-label': t('Results') })
  const more = make('button', { type: 'button', className: 'show-more', hidden: true })
  const head = make('div', { className: 'panel-head' }, status, scope, kinds)
  const panel = make('div', { className: 'panel', hidden: true }, head, list, more, hint)
  place.append(input, make('kbd', { ariaHidden: 'true' }, '/'), panel)

  let folder = root.dataset.project
  let kind = ''
  let asked = 0
  let shown = 0
  let most = SHOWN
  let hasKinds = true
  let active = -1
  let timer
  /** The last report. */
  let latest = null

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

  const nameOf = (project) => (project.name ?? '').replace(/\s+/g, ' ').trim() || t('Untitled')

  /** The projects, and the kinds that the index has of them, do not change: nothing moves while one types. */
  function showFilters() {
    const projects = collabSearch.listed()
    scope.replaceChildren(make('option', { value: '' }, t('All projects')))
    for (const project of projects) scope.append(make('option', { value: project.folder }, nameOf(project)))
    scope.value = folder
    scope.hidden = projects.length < 2
    const present = new Set(
      projects.flatMap(({ segments }) => segments.flatMap((segment) => segment.kinds.map(([name]) => name))),
    )
    const choices = Object.keys(KINDS).filter((name) => present.has(name))
    const chip = (name, label) =>
      make(
        'button',
        { type: 'button', value: name, 'aria-pressed': 'false' },
        label,
        make('span', { className: 'count' }),
      )
    kinds.replaceChildren(chip('', t('All')), ...choices.map((name) => chip(name, t(KINDS[name]))))
    hasKinds = choices.length > 1
    kinds.hidden = !hasKinds
  }

  /** Kinds without results are hidden at the end, so that nothing moves while one types. */
  function showCounts(counts, isLast) {
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
    for (const chip of kinds.querySelectorAll('button')) {
      chip.setAttribute('aria-pressed', String(chip.value === kind))
      const count = chip.value === '' ? all : (counts.get(chip.value) ?? 0)
      chip.querySelector('.count').textContent = `\u00a0${count.toLocaleString(locales)}`
      chip.hidden = isLast && count === 0 && chip.value !== kind
    }
  }

  const parts = (pieces) => pieces.map(({ text, isHit }) => (isHit ? make('mark', {}, text) : text))

  function dateOf(text) {
    const date = new Date(text ?? Number.NaN)
    if (Number.isNaN(date.getTime())) return ''
    const day = date.toLocaleDateString(locales, { year: 'numeric', month: 'short', day: 'numeric' })
    return make('time', { dateTime: date.toISOString(), title: date.toISOString() }, day)
  }

  function option({ project, title, address, path, date, excerpt, field, kind }, index) {
    const to = `${root.dataset.root}${project.folder.split('/').map(encodeURIComponent).join('/')}/${address}`
    const above = [...(folder === '' ? [nameOf(project)] : []), ...path]
    const steps = above.map((name) => make('span', { className: 'step', dir: 'auto' }, name))
    return make(
      'a',
      { id: `result-${index}`, role: 'option', href: to, tabIndex: -1, 'aria-selected': 'false' },
      make('span', { className: 'title', dir: 'auto' }, ...parts(title)),
      make('span', { className: 'date' }, dateOf(date)),
      make('span', { className: 'from' }, make('span', { className: 'badge' }, t(KIND[kind] ?? kind)), ...steps),
      make(
        'span',
        { className: 'excerpt' },
        ...(field === null ? [] : [make('span', { className: 'field' }, t(field)), ' ']),
        make('bdi', {}, ...parts(excerpt)),
      ),
    )
  }

  /** A record with very many words is in several segments. */
  function onceEach(descriptions) {
    const seen = new Map(descriptions.map((one) => [`${one.project.folder} ${one.address}`, one]))
    return [...seen.values()]
  }

  /** What to do if nothing is found. */
  function showHint(question) {
    const ways = []
    const way = (text, onClick) => {
      const button = make('button', { type: 'button' }, text)
      button.addEventListener('click', () => {
        onClick()
        input.focus()
        void ask()
      })
      ways.push(button)
    }
    if (kind !== '')
      way(t('Show all kinds'), () => {
        kind = ''
      })
    if (folder !== '' && !scope.hidden)
      way(t('Search all projects'), () => {
        folder = ''
        scope.value = ''
      })
    const quoted = make('b', { dir: 'auto' }, question)
    const problem = make('p', {}, `${t('No record has all of these words:')} `, quoted)
    const advice = make('p', {}, t('Try fewer words, or only the beginning of one.'))
    hint.replaceChildren(problem, advice, ...ways)
  }

  async function show({ found, share, isForSimilar, isLast }) {
    latest = { found, share, isForSimilar, isLast }
    const number = asked
    const turn = ++shown
    const { results, total, kinds: counts } = collabSearch.best(found, kind, most)
    const count = t(total === 1 ? '# result' : '# results', total)
    const descriptions = await Promise.all(results.map((result) => collabSearch.describe(result, found)))
    if (number !== asked || turn !== shown) return
    showCounts(counts, isLast)
    if (!isLast) {
      const what = t(isForSimilar ? 'Looking for similar words…' : 'Searching…')
      status.textContent = `${what} ${Math.floor(share * 100)} %`
    } else if (total === 0) status.textContent = t('Nothing found')
    else status.textContent = total > results.length ? t('# results, the best #', total, results.length) : count
    more.hidden = !isLast || total <= results.length
    more.textContent = t('Show # more', Math.min(SHOWN, total - results.length))
    kinds.hidden = !hasKinds || (isLast && total === 0 && kind === '')
    hint.hidden = !isLast || total > 0
    if (!hint.hidden) showHint(found.question)
    if (isLast || active === -1) {
      list.replaceChildren(...onceEach(descriptions).map(option))
      choose(-1)
      if (isLast && most === SHOWN) list.scrollTop = 0
    }
    list.setAttribute('aria-busy', String(!isLast))
  }

  async function ask() {
    const question = input.value.trim()
    const number = ++asked
    most = SHOWN
    if (question === '') {
      list.replaceChildren()
      latest = null
      close()
      return
    }
    list.setAttribute('aria-busy', 'true')
    try {
      await loadSearch()
      if (number !== asked) return
      if (panel.hidden) status.textContent = t('Searching…')
      open()
      await collabSearch.find(
        question,
        folder,
        () => number === asked,
        (report) => show(report).catch(fail),
      )
    } catch (error) {
      fail(error)
    }
  }

  function fail(error) {
    open()
    status.textContent = `${t('The search does not work:')} ${error.message}`
  }

  let loading
  function loadSearch() {
    loading ??= load(`${root.dataset.root}assets/search.js`)
      .then(() => collabSearch.prepare())
      .then(showFilters)
    return loading
  }

  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(ask, PAUSE_MS)
  })
  input.addEventListener('focus', () => {
    // While the first letters are typed.
    loadSearch().catch(fail)
    if (input.value.trim() !== '' && latest !== null) open()
  })
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const count = options().length
      event.preventDefault()
      if (panel.hidden && latest !== null) open()
      else if (count > 0) choose(event.key === 'ArrowDown' ? active + 1 : active <= 0 ? count - 1 : active - 1)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      options()[Math.max(0, active)]?.click()
    }
  })
  place.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || panel.hidden || event.isComposing) return
    event.preventDefault()
    input.focus()
    close()
  })
  scope.addEventListener('change', () => {
    folder = scope.value
    void ask()
  })
  kinds.addEventListener('click', (event) => {
    const chip = event.target instanceof Element && event.target.closest('button')
    if (!chip || latest === null) return
    kind = chip.value
    most = SHOWN
    show(latest).catch(fail)
  })
  more.addEventListener('click', () => {
    most += SHOWN
    const at = options().length
    void show(latest)
      .then(() => input.focus())
      .then(() => choose(at))
      .catch(fail)
  })
  document.addEventListener('click', (event) => {
    // What a click removed from the panel was in it.
    if (event.target instanceof Node && event.target.isConnected && !place.contains(event.target)) close()
  })
  place.addEventListener('focusout', (event) => {
    if (event.relatedTarget instanceof Node && !place.contains(event.relatedTarget)) close()
  })
  document.addEventListener('keydown', (event) => {
    const typing = event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]')
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
    input.select()
  })
})()
