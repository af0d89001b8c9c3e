// The filters of a list of tasks, and the rows that they leave. Without them the list is read as it is written.
globalThis.collabFinder = (() => {
  /** Rows that are shown at first, and with each press of the button. */
  const SHOWN = 200

  /** The style of the site has the same width. */
  const PHONE = matchMedia('(max-width: 52rem)')

  const { make } = collabSite
  const { t } = collabLanguage
  const { markOverdue, loadRows, matching, names, tableRow } = collabLists
  const { states: STATES, dues: DUES, sorts: SORTS } = collabLists

  /** Nothing in the archive is overdue. */
  const { '': any, some, none } = DUES
  const DUES_ARCHIVED = { '': any, some, none }

  /** The filters of a list, and the rows that they leave. */
  function addFinder(finder) {
    const isArchive = 'archive' in finder.dataset
    /** The order in which the list is written. */
    const SORT = isArchive ? 'updated' : 'board'
    /** @type {HTMLElement} */
    const written = document.querySelector('.rows')
    const search = make('input', { type: 'search', autocomplete: 'off', spellcheck: false })
    const selects = Object.fromEntries(
      ['group', 'person', 'label', 'state', 'due', 'sort'].map((name) => [name, make('select')]),
    )
    const reset = make('button', { type: 'button', className: 'reset', hidden: true }, t('Reset'))
    const status = make('p', { className: 'finder-status', role: 'status' })
    const labelled = (name, control) => {
      control.id = `filter-${name.toLowerCase().replace(' ', '-')}`
      return make('p', {}, make('label', { htmlFor: control.id }, t(name)), control)
    }
    const form = make(
      'form',
      { className: 'filters', role: 'search', 'aria-label': t('Filter tasks') },
      labelled('Text', search),
      labelled('Group', selects.group),
      labelled('Person', selects.person),
      labelled('Label', selects.label),
      labelled('State', selects.state),
      labelled('Due', selects.due),
      labelled('Sort by', selects.sort),
      reset,
    )
    const body = make('tbody')
    const head = make(
      'thead',
      {},
      make('tr', {}, ...collabLists.columns.map((name) => make('th', { scope: 'col' }, t(name)))),
    )
    const caption = make('caption', { className: 'sr-only' }, t('Tasks that match the filters'))
    const table = make('table', { className: 'task-table' }, caption, head, body)
    const more = make('button', { type: 'button', className: 'show-more' })
    const results = make('div', { className: 'rows', hidden: true }, table, more)
    // They fill the first screen of a phone: there they are folded until they are wanted.
    const fold = make('details', { className: 'fold' }, make('summary', {}, t('Filters')), form)
    const unfold = () => {
      if (!PHONE.matches) fold.open = true
    }
    PHONE.addEventListener('change', unfold)
    unfold()
    finder.append(fold, status)
    written.after(results)

    const options = (select, entries, value) => {
      select.replaceChildren(...entries.map(([key, text]) => make('option', { value: key }, text)))
      select.value = value
    }
    const inWords = (entries) => entries.map(([key, text]) => [key, t(text)])
    options(selects.state, inWords(Object.entries(STATES)), '')
    options(selects.due, inWords(Object.entries(isArchive ? DUES_ARCHIVED : DUES)), '')
    const sorts = Object.entries(SORTS).filter(([key]) => !isArchive || key !== 'board')
    options(selects.sort, inWords(sorts.map(([key, [text]]) => [key, text])), SORT)
    for (const name of ['group', 'person', 'label']) options(selects[name], [['any', t('Any')]], 'any')

    /** The keys of options begin with `=`, so that no id is taken for `any`. */
    const chosen = (name) => (selects[name].value === 'any' ? null : selects[name].value.slice(1))
    const filters = () => ({
      ...{ text: search.value, group: chosen('group'), person: chosen('person'), label: chosen('label') },
      ...{ state: selects.state.value, due: selects.due.value, sort: selects.sort.value },
    })

    function fillOptions(all) {
      const byName = (entries) => entries.sort(([, a], [, b]) => collabLists.compareTexts(a, b))
      const groups = [...new Set(all.map((row) => row.group ?? ''))].map((id) => [
        `=${id}`,
        id === '' ? t('No group') : (names.groups.get(id) ?? t('Unnamed group')),
      ])
      const people = byName([...names.people].map(([uid, name]) => [`=${uid}`, name]))
      const labels = byName(
        [...new Set(all.flatMap((row) => row.labels))].map((label) => {
          const text = collabLists.labelText(label)
          return [`=${label}`, text === label ? label : `${text} (${label})`]
        }),
      )
      options(selects.group, [['any', t('Any')], ...groups], selects.group.value)
      options(selects.person, [['any', t('Any')], ['=', t('No person')], ...people], selects.person.value)
      options(selects.label, [['any', t('Any')], ['=', t('None')], ...labels], selects.label.value)
    }

    let isFilled = false
    async function ready() {
      const all = await loadRows(finder)
      if (!isFilled) {
        isFilled = true
        fillOptions(all)
      }
      return all
    }

    let found = []
    function show(count) {
      body.append(...found.slice(body.rows.length, count).map(tableRow))
      markOverdue(body)
      const left = found.length - body.rows.length
      more.hidden = left === 0
      more.textContent = t('Show # more', Math.min(left, SHOWN))
    }

    let asked = 0
    async function update() {
      const number = ++asked
      const wanted = filters()
      const isPlain =
        [wanted.group, wanted.person, wanted.label].every((value) => value === null) &&
        [wanted.text.trim(), wanted.state, wanted.due].every((value) => value === '') &&
        wanted.sort === SORT
      reset.hidden = isPlain
      written.hidden = !isPlain
      results.hidden = isPlain
      writeFragment(isPlain ? null : wanted)
      if (isPlain) {
        status.textContent = ''
        return
      }
      try {
        const all = await ready()
        if (number !== asked) return
        found = matching(all, filters())
        body.replaceChildren()
        show(SHOWN)
        table.hidden = found.length === 0
        status.textContent = t('# of # tasks', found.length, all.length)
      } catch (error) {
        status.textContent = `${t('The filters do not work:')} ${error.message}`
      }
    }

    let fragment = location.hash
    function writeFragment(wanted) {
      const parameters = new URLSearchParams()
      for (const [name, value] of Object.entries(wanted ?? {})) {
        const isLeftOut =
          value === null ||
          (value === '' && ['text', 'state', 'due'].includes(name)) ||
          (name === 'sort' && value === SORT)
        if (!isLeftOut) parameters.set(name, value)
      }
      const next = parameters.size === 0 ? '' : `#${parameters}`
      if (next === location.hash) return
      fragment = next
      try {
        history.replaceState(history.state, '', next === '' ? location.href.replace(/#.*/, '') : next)
      } catch {
        // Some browsers allow no history for files: the filters work all the same.
      }
    }

    /** Takes the filters from the address; returns whether there are any. */
    async function readFragment() {
      const parameters = new URLSearchParams(location.hash.slice(1))
      const known = ['text', 'group', 'person', 'label', 'state', 'due', 'sort']
      if (!known.some((name) => parameters.has(name))) return false
      fold.open = true
      await ready().catch(() => {})
      search.value = parameters.get('text') ?? ''
      for (const name of ['group', 'person', 'label']) {
        const value = parameters.get(name)
        const key = value === null ? 'any' : `=${value}`
        // A value that no task has: the list is empty, and says of what.
        if (![...selects[name].options].some((option) => option.value === key)) {
          selects[name].append(make('option', { value: key }, value || t('None')))
        }
        selects[name].value = key
      }
      for (const [name, values] of Object.entries({ state: STATES, due: DUES, sort: SORTS })) {
        const value = parameters.get(name) ?? ''
        selects[name].value = value in values ? value : name === 'sort' ? SORT : ''
      }
      return true
    }

    function clear() {
      search.value = ''
      for (const name of ['group', 'person', 'label']) selects[name].value = 'any'
      selects.state.value = ''
      selects.due.value = ''
      selects.sort.value = SORT
    }

    let timer
    search.addEventListener('input', () => {
      clearTimeout(timer)
      timer = setTimeout(update, 120)
    })
    for (const select of Object.values(selects)) select.addEventListener('change', update)
    // The options are read when they are about to be needed: most readers read the list as it is.
    form.addEventListener('focusin', () => void ready().catch(() => {}), { once: true })
    form.addEventListener('pointerenter', () => void ready().catch(() => {}), { once: true })
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void update()
    })
    reset.addEventListener('click', () => {
      clear()
      void update()
      search.focus()
    })
    more.addEventListener('click', () => {
      const at = body.rows.length
      show(at + SHOWN)
      body.rows[at]?.querySelector('a')?.focus()
    })
    const follow = () => {
      if (location.hash === fragment) return
      fragment = location.hash
      void readFragment().then((any) => {
        if (!any) clear()
        return update()
      })
    }
    addEventListener('hashchange', follow)
    void readFragment().then((any) => any && update())
  }

  return { start: addFinder }
})()
