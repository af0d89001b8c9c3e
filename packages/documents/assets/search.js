// The search: loads the projects' indexes one by one, as a page on a disk can load scripts alone, and asks each.
globalThis.collabSearch = (() => {
  /** Results that are shown at most. */
  const SHOWN = 30

  /** Characters around the first place found in a text. */
  const BEFORE = 40
  const EXCERPT = 160

  /** How long a page may be busy before it looks for keys. */
  const BUSY_MS = 40

  const OPTIONS = {
    fields: ['title', 'text'],
    storeFields: ['title', 'kind', 'address', 'path', 'date'],
    tokenize: (text) => collabTerms.ofText(text),
    processTerm: (term) => term,
    searchOptions: {
      tokenize: (text) => collabTerms.ofQuestion(text),
      processTerm: (term) => term,
      prefix: (term) => collabTerms.mayContinue(term),
      combineWith: /** @type {const} */ ('AND'),
      boost: { title: 4 },
    },
  }

  const indexes = new Map()
  const texts = new Map()
  let projects = null

  /** Runs one of the site's scripts, once. */
  const loading = new Map()
  function load(path) {
    if (!loading.has(path)) {
      const promise = new Promise((resolve, reject) => {
        const script = document.createElement('script')
        script.src = document.documentElement.dataset.root + path.split('/').map(encodeURIComponent).join('/')
        script.onload = resolve
        script.onerror = () => reject(new Error(`${path} is missing`))
        document.head.append(script)
      })
      loading.set(path, promise)
    }
    return loading.get(path)
  }

  async function prepare() {
    await Promise.all(['assets/minisearch.js', 'assets/terms.js', 'assets/projects.js'].map(load))
  }

  async function search(shard, question) {
    await load(`${shard.project.folder}/search/${shard.name}.js`)
    const hits = indexes.get(shard.key).search(question)
    return hits.map(({ id, score, title, kind, address }) => ({ id, score, title, kind, address, shard }))
  }

  /** The best of several lists; a long page that is in the index in parts counts once. */
  function best(results) {
    const seen = new Set()
    return results
      .sort((a, b) => b.score - a.score)
      .filter(({ shard, address }) => {
        const key = `${shard.project.folder}/${address}`
        return !seen.has(key) && seen.add(key)
      })
  }

  /** The words of a question as they may stand in a text. */
  const wordsOf = (question) => collabTerms.folded(question).match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []

  /** Pieces of a text, those that were asked for marked. */
  function marked(text, words) {
    const lower = text.toLowerCase()
    const pieces = []
    let end = 0
    while (end < text.length) {
      let [from, length] = [-1, 0]
      for (const word of words) {
        const at = lower.indexOf(word, end)
        if (at !== -1 && (from === -1 || at < from || (at === from && word.length > length)))
          [from, length] = [at, word.length]
      }
      if (from === -1) break
      if (from > end) pieces.push({ text: text.slice(end, from), isHit: false })
      pieces.push({ text: text.slice(from, from + length), isHit: true })
      end = from + length
    }
    if (end < text.length) pieces.push({ text: text.slice(end), isHit: false })
    return pieces
  }

  async function excerpt(result, question) {
    const { shard, id } = result
    await load(`${shard.project.folder}/search/${shard.name}-text.js`)
    const text = texts.get(shard.key)[id] ?? ''
    const words = wordsOf(question)
    const lower = text.toLowerCase()
    const places = words.map((word) => lower.indexOf(word)).filter((at) => at !== -1)
    const from = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - BEFORE)
    const part = text.slice(from, from + EXCERPT)
    return marked(`${from > 0 ? '…' : ''}${part}${from + EXCERPT < text.length ? '…' : ''}`, words)
  }

  /**
   * Finds pages and posts that hold all the words of a question: in one project, or in all where `folder` is empty. Tells
   * what it has as each index is done; `isCurrent` says whether anybody still waits for it.
   */
  async function find(question, folder, isCurrent, onFound) {
    await prepare()
    const shards = projects
      .filter((project) => folder === '' || project.folder === folder)
      .flatMap((project) => project.shards.map((name) => ({ project, name, key: `${project.folder}/${name}` })))
    let found = []
    let total = 0
    let rested = performance.now()
    for (const [done, shard] of shards.entries()) {
      // Indexes that are here already would be asked all in one go, and no key be taken meanwhile.
      if (performance.now() - rested > BUSY_MS) {
        await new Promise((resolve) => setTimeout(resolve))
        rested = performance.now()
      }
      const hits = best(await search(shard, question))
      if (!isCurrent()) return
      total += hits.length
      found = best([...found, ...hits]).slice(0, SHOWN)
      const isLast = done === shards.length - 1
      onFound({ results: found, total, share: (done + 1) / shards.length, isLast })
    }
    if (shards.length === 0) onFound({ results: [], total: 0, share: 1, isLast: true })
  }

  return {
    find,
    excerpt,
    marked: (text, question) => marked(text, wordsOf(question)),
    /** Called by the scripts that hold the data. */
    projects(list) {
      projects = list
    },
    index(key, json) {
      indexes.set(key, MiniSearch.loadJSON(json, OPTIONS))
    },
    texts(key, json) {
      texts.set(key, JSON.parse(json))
    },
  }
})()
