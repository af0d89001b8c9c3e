// Lists of tasks: the rows of all pages of a list, which of them match filters, and due dates that are past.
globalThis.collabLists = (() => {
  const DAY_MS = 86_400_000

  /** The order of the fields of a row, see `list-shards.ts`. */
  const FIELDS = [
    'file',
    'title',
    'group',
    'position',
    'done',
    'due',
    'created',
    'updated',
    'labels',
    'people',
    'more',
    'checked',
    'todos',
  ]

  const COLUMNS = ['Task', 'Group', 'People', 'Due', 'Checklist', 'Updated']

  const SORTS = {
    board: ['Board order', null],
    title: ['Title', (a, b) => COLLATOR.compare(a.title, b.title)],
    due: ['Due date', (a, b) => compare(a.due ?? '~', b.due ?? '~')],
    updated: ['Last update', (a, b) => compare(b.updated ?? b.created ?? '', a.updated ?? a.created ?? '')],
    created: ['Creation', (a, b) => compare(b.created ?? '', a.created ?? '')],
  }

  /** Tasks that a project's first page names, and how many of them may be overdue. */
  const [DUE_SHOWN, OVERDUE_SHOWN] = [8, 4]

  const STATES = { '': 'Any', open: 'Open', done: 'Done' }

  const DUES = {
    '': 'Any',
    overdue: 'Overdue',
    week: 'In the next 7 days',
    later: 'Later',
    some: 'With a date',
    none: 'Without a date',
  }

  const COLLATOR = new Intl.Collator(undefined, { numeric: true })
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0)

  const root = document.documentElement
  const shards = new Map()
  let asOf = null

  const { make, load } = collabSite
  const { t } = collabLanguage

  const loadTime = () => load(`${root.dataset.root}assets/as-of.js`)

  /** Marks due dates that are before the time of the backup. */
  function markOverdue(within) {
    if (asOf === null) return
    for (const date of within.querySelectorAll('time[data-due]')) {
      if (Date.parse(date.dateTime) >= asOf || date.classList.contains('overdue')) continue
      date.classList.add('overdue')
      date.title = `${date.title === '' ? '' : `${date.title} · `}${t('Overdue when the backup was made')}`
      date.append(' ', make('span', { className: 'overdue-word' }, t('overdue')))
    }
  }

  /** Of a project's tasks by due date, leaves the next ones and the last that are overdue. */
  function showNextDue(list) {
    const next = [...list.children].findIndex((item) => item.querySelector('.overdue') === null)
    const from = Math.max(
      0,
      Math.min((next === -1 ? list.children.length : next) - OVERDUE_SHOWN, list.children.length - DUE_SHOWN),
    )
    for (const [index, item] of [...list.children].entries()) item.hidden = index < from || index >= from + DUE_SHOWN
  }

  // Rows

  let rows = null
  let isArchive = false
  const names = { groups: new Map(), people: new Map(), labels: new Map() }

  async function loadRows(finder) {
    if (rows !== null) return rows
    const wanted = finder.dataset.shards.split(' ').filter((name) => name !== '')
    await Promise.all([loadTime(), ...wanted.map((name) => load(`tasks/${name}.js`))])
    const all = []
    for (const name of wanted) {
      const shard = JSON.parse(shards.get(name))
      shards.delete(name)
      for (const kind of Object.keys(names)) {
        for (const [key, value] of Object.entries(shard[kind])) names[kind].set(key.slice(1), value)
      }
      for (const values of shard.rows)
        all.push(Object.fromEntries(FIELDS.map((field, index) => [field, values[index]])))
    }
    for (const row of all) row.folded = fold(row.title)
    isArchive = 'archive' in finder.dataset
    rows = all.sort(isArchive ? byUpdate : byBoard)
    return rows
  }

  const fold = (text) =>
    text
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]+/g, '')
      .toLowerCase()

  function byBoard(a, b) {
    // Ids of groups are in the order of their creation; tasks without a group come last.
    if (a.group !== b.group) return a.group === null ? 1 : b.group === null ? -1 : compare(a.group, b.group)
    return (a.position ?? Infinity) - (b.position ?? Infinity) || compare(a.file, b.file)
  }

  /** As the pages of the archive are. */
  const byUpdate = (a, b) => compare(b.updated ?? b.created ?? '', a.updated ?? a.created ?? '')

  function isDue(due, when) {
    if (when === 'none' || when === 'some') return (due === null) === (when === 'none')
    if (due === null || asOf === null) return false
    const left = Date.parse(due) - asOf
    return when === 'overdue' ? left < 0 : when === 'week' ? left >= 0 && left < 7 * DAY_MS : left >= 7 * DAY_MS
  }

  function matching(all, { text, group, person, label, state, due, sort }) {
    const words = fold(text)
      .split(/\s+/)
      .filter((word) => word !== '')
    const found = all.filter(
      (row) =>
        (group === null || (row.group ?? '') === group) &&
        (person === null || (person === '' ? row.people.length === 0 : row.people.includes(person))) &&
        (label === null || (label === '' ? row.labels.length === 0 : row.labels.includes(label))) &&
        (state === '' || (state === 'done') === (row.done === 1)) &&
        (due === '' || (isDue(row.due, due) && (due !== 'overdue' || (row.done === 0 && !isArchive)))) &&
        words.every((word) => row.folded.includes(word)),
    )
    const order = SORTS[sort]?.[1]
    return order ? found.sort(order) : found
  }

  // What is shown

  const COLOURS = 'red orange yellow green teal cyan blue purple pink brown gray grey black'.split(' ')

  /** What a label means: the service's labels are colours. */
  const labelText = (label) => names.labels.get(label)?.trim() || label.trim() || t('unnamed')

  function chip(label) {
    const word = label.toLowerCase()
    const dot = make('i', { className: `dot dot-${COLOURS.includes(word) ? word : 'plain'}` })
    const chip = make('span', { className: 'chip' }, dot, make('span', { dir: 'auto' }, labelText(label)))
    if (labelText(label) !== label) chip.title = label
    return chip
  }

  function day(text, properties = {}) {
    const date = /^\d{4}-\d\d-\d\d/.exec(text ?? '')?.[0]
    return date === undefined ? '' : make('time', { dateTime: text, ...properties }, date)
  }

  function tableRow(row) {
    const link = make('a', { href: `tasks/${encodeURIComponent(row.file)}`, dir: 'auto' }, row.title)
    const title = make('td', {}, link)
    if (row.done === 1) title.append(' ', make('span', { className: 'state-done' }, t('done')))
    if (row.labels.length > 0) title.append(' ', make('span', { className: 'chips' }, ...row.labels.map(chip)))
    const cell = (name, ...children) => make('td', { 'data-name': t(name) }, ...children)
    const people = row.people.map((uid) => names.people.get(uid) ?? uid).join(t(', '))
    const group = row.group === null ? t('No group') : (names.groups.get(row.group) ?? t('Unnamed group'))
    const due = day(row.due, { className: 'due', ...(row.done === 0 && !isArchive && { 'data-due': '' }) })
    const full = row.todos > 0 && row.checked === row.todos ? ' full' : ''
    const progress =
      row.todos > 0
        ? make(
            'span',
            { className: `progress${full}` },
            make('span', { className: 'sr-only' }, t('Checklist:')),
            ` ${row.checked}/${row.todos}`,
          )
        : ''
    return make(
      'tr',
      { className: row.done === 1 ? 'done' : '' },
      title,
      cell('Group', make('span', { dir: 'auto', title: group }, group)),
      cell('People', make('span', { title: people }, people, row.more > 0 ? ` +${row.more}` : '')),
      cell('Due', due),
      cell('Checklist', progress),
      cell('Updated', day(row.updated)),
    )
  }

  return {
    ...{ compareTexts: COLLATOR.compare, markOverdue, loadRows, matching, names, tableRow, labelText },
    ...{ columns: COLUMNS, states: STATES, dues: DUES, sorts: SORTS },
    /** Called once per page that has lists or due dates. */
    start() {
      if (document.querySelector('time[data-due]')) {
        void loadTime().then(() => {
          markOverdue(document)
          for (const list of document.querySelectorAll('.due-list')) showNextDue(list)
        })
      }
      const finder = document.querySelector('.finder')
      if (finder) void load(`${root.dataset.root}assets/finder.js`).then(() => collabFinder.start(finder))
    },
    /** Called by the scripts that hold the data. */
    asOf(time) {
      asOf = time === null ? null : Date.parse(time)
    },
    data(name, json) {
      shards.set(name, json)
    },
  }
})()
