// The search: loads those parts of the projects' indexes that a question needs, as a page on a disk can load scripts alone.
globalThis.collabSearch = (() => {
  /** What begins a line of a text that is not its main text, see `fields.ts`, and what results call it. */
  const FIELDS = {
    ...{ '“': 'in a comment', '☑': 'in the checklist', '#': 'in a label', '@': 'in the people' },
    ...{ '⌂': 'in the place', '/': 'in the path', '✉': 'in the e-mail address', '¶': 'in the description' },
  }

  /** With fewer results, similar words are looked for. */
  const FEW = 5

  /** UTF-16 units around the first place found in a text. */
  const BEFORE = 40
  const EXCERPT = 180

  /** Files that are loaded at once, and kept. */
  const LOADING = 24
  const KEPT = 1500

  /**
   * Files of terms of which all are loaded at most for a word that is not found. Of more, 5 MB and a second, only those are that have words
   * without the first letter, or with the first two swapped.
   */
  const ALL_PARTS = 100

  /** How long a page may be busy before it looks for keys, and between two reports of what was found so far. */
  const BUSY_MS = 40
  const REPORT_MS = 300

  /** Terms of a question that count. */
  const MAX_TERMS = 32

  let projects = null
  const data = new Map()

  const scripts = new Map()
  /** Runs one of the site's scripts, once. */
  function load(path) {
    if (!scripts.has(path)) {
      const promise = new Promise((resolve, reject) => {
        const script = document.createElement('script')
        script.src = document.documentElement.dataset.root + path.split('/').map(encodeURIComponent).join('/')
        script.onload = () => {
          script.remove()
          resolve(undefined)
        }
        script.onerror = () => {
          script.remove()
          scripts.delete(path)
          reject(new Error(`${path} is missing`))
        }
        document.head.append(script)
      })
      scripts.set(path, promise)
    }
    return scripts.get(path)
  }

  /** The data of a file of a segment. */
  async function read({ project, name }, file) {
    const path = `${project.folder}/search/${name}-${file}.js`
    await load(path)
    const text = data.get(path)
    // Last in the order, as it was used last.
    data.delete(path)
    data.set(path, text)
    for (const old of data.keys()) {
      if (data.size <= KEPT) break
      data.delete(old)
      scripts.delete(old)
    }
    return text
  }

  async function prepare() {
    await Promise.all(['assets/terms.js', 'assets/match.js', 'assets/projects.js'].map(load))
  }

  /** Runs work for each item, some at a time, until it is no longer wanted. */
  async function each(items, isCurrent, work) {
    const queue = items.values()
    await Promise.all(
      Array.from({ length: LOADING }, async () => {
        for (const item of queue) {
          if (!isCurrent()) return
          await work(item)
        }
      }),
    )
  }

  /**
   * What each round looks for: the words of the question and longer ones; then similar words with the same first letter, as they are in
   * few parts of the index; then any similar word, or in a large index those that begin in the ways in which a first letter is often wrong.
   * Whether a round is needed depends on how many records were found before.
   */
  const ROUNDS = [
    {
      isNeeded: () => true,
      parts: (segment, { text, mayContinue }) => collabMatch.partsOf(segment, text, mayContinue),
    },
    {
      isNeeded: (total) => total < FEW,
      parts: (segment, { text }) => collabMatch.partsOf(segment, String.fromCodePoint(text.codePointAt(0)), true),
    },
    {
      isNeeded: (total) => total === 0,
      parts: (segment, { text }, isLarge) =>
        isLarge
          ? beginningsOf(text).flatMap((beginning) => collabMatch.partsOf(segment, beginning, true))
          : [...segment.parts.keys()],
    },
  ]

  /** The first letters of a word with another beginning: as it is, swapped, and without the first one. */
  function beginningsOf(text) {
    const [first, second = '', third = ''] = text
    return [first, second + first, second + third]
  }

  /**
   * Finds the records that have all the words of a question: in one project, or in all where `folder` is empty. Reports what it has now
   * and then; `isCurrent` says whether it is still wanted.
   */
  async function find(question, folder, isCurrent, onFound) {
    await prepare()
    const terms = collabTerms
      .ofQuestion(question)
      .slice(0, MAX_TERMS)
      .map((text) => ({
        text,
        mayContinue: collabTerms.mayContinue(text),
        mistakes: collabTerms.mistakes(text),
        isFuzzy: false,
        similar: new Map(),
      }))
    const segments = projects
      .filter((project) => folder === '' || project.folder === folder)
      .flatMap((project) => project.segments.map((segment) => ({ ...segment, project })))
    const isLarge = segments.reduce((sum, { parts }) => sum + parts.length, 0) > ALL_PARTS
    /** @type {Found} */
    const found = { terms, question, parts: [] }
    const total = () => found.parts.reduce((sum, { hits }) => sum + hits.length, 0)
    let rested = performance.now()
    let reported = rested
    for (const [round, { isNeeded, parts }] of ROUNDS.entries()) {
      if (terms.length === 0 || !isNeeded(total())) break
      if (round > 0 && !terms.some(({ mistakes }) => mistakes > 0)) break
      for (const term of terms) term.isFuzzy = round > 0 && term.mistakes > 0
      let done = 0
      await each([...segments.entries()], isCurrent, async ([number, segment]) => {
        const partsOf = (term) => [...new Set((term.isFuzzy ? parts : ROUNDS[0].parts)(segment, term, isLarge))]
        const texts = new Map()
        const needed = new Set(terms.flatMap(partsOf))
        await Promise.all([...needed].map(async (part) => texts.set(part, await read(segment, `t${part}`))))
        if (performance.now() - rested > BUSY_MS) {
          await new Promise((resolve) => setTimeout(resolve))
          rested = performance.now()
        }
        if (!isCurrent()) return
        const textsOf = (term) => partsOf(term).map((part) => texts.get(part))
        found.parts[number] = collabMatch.hitsIn(segment, terms, textsOf)
        done += 1
        if (performance.now() - reported < REPORT_MS) return
        reported = performance.now()
        onFound({ found, share: done / segments.length, isForSimilar: round > 0, isLast: false })
      })
      if (!isCurrent()) return
    }
    onFound({ found, share: 1, isForSimilar: false, isLast: true })
  }

  /** The best records of those found, at most so many, of one kind or of all where `kind` is empty, and how many there are of each kind and project. */
  function best({ parts, terms }, kind, most) {
    const [kinds, folders] = [new Map(), new Map()]
    const add = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1)
    const sum = (numberOf) => parts.reduce((total, part) => total + numberOf(part), 0)
    const records = sum((part) => part.records)
    // As in BM25: a rare word counts more.
    const rarity = terms.map((_, index) => {
      const having = sum(({ counts }) => counts[index])
      return Math.log(1 + (records - having + 0.5) / (having + 0.5))
    })
    const results = []
    // `parts` has holes until all segments were read: `forEach` skips them.
    parts.forEach(({ segment, hits, byTerm, kindAt }) => {
      for (const record of hits) {
        add(kinds, kindAt[record])
        if (kind !== '' && kindAt[record] !== kind) continue
        add(folders, segment.project.folder)
        let score = byTerm.some(({ isSimilar }) => isSimilar[record] === 1) ? -1e6 : 0
        for (const [index, { weights }] of byTerm.entries()) score += weights[record] * rarity[index]
        if (results.length === most && score <= results[most - 1].score) continue
        const at = results.findIndex((other) => other.score < score)
        const hit = { segment, record, kind: kindAt[record], place: byTerm[0].places[record], score }
        results.splice(at === -1 ? results.length : at, 0, hit)
        results.length = Math.min(results.length, most)
      }
    })
    const total = [...folders.values()].reduce((all, number) => all + number, 0)
    return { results, total, kinds, folders }
  }

  /** An entry of a segment: its title, address, path, date and text, or the text alone where it continues another. */
  async function entryAt(segment, entry) {
    const block = segment.blocks.findLastIndex((first) => first <= entry)
    return JSON.parse(await read(segment, `d${block}`))[entry - segment.blocks[block]]
  }

  /** The field of a text that has a place, and the place in it. */
  function fieldWith(whole, place) {
    const from = whole.lastIndexOf('\n', place - 1) + 1
    const end = whole.indexOf('\n', place)
    const field = from > 0 ? FIELDS[whole[from]] : undefined
    const begin = from + (field === undefined ? 0 : 1)
    const text = whole.slice(begin, end === -1 ? undefined : end)
    return { text, field: field ?? null, first: Math.max(0, place - begin), isCut: from > 0 }
  }

  /** What is shown of a result. */
  async function describe({ segment, record, place, kind }, { question, terms }) {
    const [[title, address, path, date, beginning], at] = await Promise.all([
      entryAt(segment, record),
      entryAt(segment, place),
    ])
    const whole = place === record ? beginning : at
    const pattern = collabMatch.patternOf(question, terms)
    const { text, field, first, isCut } = fieldWith(whole, collabMatch.placesIn(whole, pattern)[0]?.from ?? 0)
    // Not within a word, where a space is near.
    const space = text.indexOf(' ', Math.max(0, first - BEFORE))
    const from = first <= BEFORE ? 0 : space !== -1 && space < first ? space + 1 : first - BEFORE
    const part = text.slice(from, from + EXCERPT).toWellFormed()
    const excerpt = `${from > 0 || (place !== record && !isCut) ? '…' : ''}${part}${from + EXCERPT < text.length ? '…' : ''}`
    const marked = (shown) => collabMatch.marked(shown, collabMatch.placesIn(shown, pattern))
    return {
      kind,
      address,
      path,
      date,
      field,
      project: segment.project,
      title: marked(title),
      excerpt: marked(excerpt),
    }
  }

  return {
    find,
    best,
    describe,
    /** The projects, once `find` was called. */
    listed: () => projects ?? [],
    prepare,
    /** Called by the scripts that hold the data. */
    projects(list) {
      projects = list
    },
    data(path, text) {
      data.set(path, text)
    },
  }
})()
