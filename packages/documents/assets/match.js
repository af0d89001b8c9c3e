// The search's reading of the index: which parts of it a question needs, which records have its words, and where they stand in a text.
globalThis.collabMatch = (() => {
  /** What the beginning of a longer word counts beside a whole word: from the first to the sum, the shorter the rest. */
  const PREFIX = [0.3, 0.5]

  const WORD = '[\\p{L}\\p{M}\\p{N}_]'

  /** The numbers of the parts that may hold a term or, if it may continue, terms that begin with it. */
  function partsOf({ parts }, term, mayContinue) {
    const numbers = []
    for (const [number, first] of parts.entries()) {
      const next = parts[number + 1]
      const isBefore = next !== undefined && next <= term
      if (!isBefore && (first <= term || (mayContinue && first.startsWith(term)))) numbers.push(number)
    }
    return numbers
  }

  /** Gives the terms of a part that are a term, or begin with it, with the place of their postings. */
  function* termsFrom(text, beginning) {
    for (let at = text.indexOf(` ${beginning}`); at !== -1; ) {
      const colon = text.indexOf(':', at)
      const term = text.slice(at + 1, colon)
      if (!term.startsWith(beginning)) return
      const next = text.indexOf(' ', colon)
      yield { term, from: colon + 1, to: next === -1 ? text.length : next }
      at = next
    }
  }

  /** Gives the entries of postings with their weights. The index writer explains the format. */
  function eachEntry(text, from, to, onEntry) {
    let entry = -1
    for (let at = from; at < to; ) {
      const weight = collabTerms.weights[text.charCodeAt(at++) - 65]
      let distance = 0
      for (; at < to; at++) {
        const code = text.charCodeAt(at)
        if (code >= 65 && code <= 90) break
        distance = distance * 36 + code - (code <= 57 ? 48 : 87)
      }
      entry += distance || 1
      onEntry(entry, weight)
    }
  }

  /** Insertions, deletions, replacements and swaps of neighbours between two words; `limit + 1` if there are more than `limit`. */
  function distance(a, b, limit) {
    if (Math.abs(a.length - b.length) > limit) return limit + 1
    let [before, row] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)]
    for (let i = 1; i <= a.length; i++) {
      const next = [i]
      let least = i
      for (let j = 1; j <= b.length; j++) {
        const isSame = a[i - 1] === b[j - 1]
        let cost = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (isSame ? 0 : 1))
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2] + 1)
        next.push(cost)
        least = Math.min(least, cost)
      }
      // Of two rows, as a swap skips one.
      if (least > limit && Math.min(...row) > limit) return limit + 1
      ;[before, row] = [row, next]
    }
    return Math.min(row[b.length], limit + 1)
  }

  /** Gives the terms of a part that differ from a term of the question by few mistakes. `term.similar` keeps what is known of each. */
  function* similarTo(text, term) {
    for (let at = text.indexOf(' '); at !== -1; ) {
      const colon = text.indexOf(':', at)
      const next = text.indexOf(' ', colon)
      if (Math.abs(colon - at - 1 - term.text.length) <= term.mistakes) {
        const word = text.slice(at + 1, colon)
        let mistakes = term.similar.get(word)
        if (mistakes === undefined) {
          mistakes = distance(term.text, word, term.mistakes)
          term.similar.set(word, mistakes)
        }
        if (mistakes <= term.mistakes) yield { mistakes, from: colon + 1, to: next === -1 ? text.length : next }
      }
      at = next
    }
  }

  /** The number of the entry that each entry continues, or of itself, and the kind of each record. */
  function layoutOf({ kinds }) {
    const size = kinds.reduce((sum, [, count]) => sum + count, 0)
    const [records, kindAt] = [new Uint32Array(size), []]
    let entry = 0
    for (const [kind, count] of kinds) {
      for (let left = count; left > 0; left--, entry++) {
        records[entry] = kind === '' ? records[entry - 1] : entry
        kindAt.push(kind)
      }
    }
    return { records, kindAt }
  }

  /** What a term weighs in each record of a segment; `texts` are the parts of the index that may hold it. */
  function weigh(term, texts, { records }) {
    const weights = new Float32Array(records.length)
    const isSimilar = new Uint8Array(records.length)
    const places = new Uint32Array(records.length)
    const add = (text, { from, to }, factor, similar) =>
      eachEntry(text, from, to, (entry, weight) => {
        const record = records[entry]
        if (similar && weights[record] > 0 && !isSimilar[record]) return
        if (weight * factor <= weights[record]) return
        weights[record] = weight * factor
        isSimilar[record] = Number(similar)
        places[record] = entry
      })
    for (const text of texts) {
      for (const found of termsFrom(text, term.text)) {
        const isWhole = found.term.length === term.text.length
        if (!isWhole && !term.mayContinue) break
        add(text, found, isWhole ? 1 : PREFIX[0] + (PREFIX[1] * term.text.length) / found.term.length, false)
      }
    }
    if (term.isFuzzy) {
      for (const text of texts) {
        for (const found of similarTo(text, term)) if (found.mistakes > 0) add(text, found, 0.5 ** found.mistakes, true)
      }
    }
    return { weights, isSimilar, places }
  }

  /** The numbers of the records of a segment that have all terms (`hits`), and what is known of them; `textsOf` gives the parts of the index that may hold a term. */
  function hitsIn(segment, terms, textsOf) {
    const layout = layoutOf(segment)
    const byTerm = terms.map((term) => weigh(term, textsOf(term), layout))
    const hits = [...layout.records.keys()].filter(
      (entry) => layout.records[entry] === entry && byTerm.every(({ weights }) => weights[entry] > 0),
    )
    const count = ({ weights }) => weights.reduce((sum, weight) => sum + Number(weight > 0), 0)
    const records = layout.kindAt.filter((kind) => kind !== '').length
    return { segment, hits, byTerm, kindAt: layout.kindAt, counts: byTerm.map(count), records }
  }

  /** A text folded, and the place in the text of each UTF-16 unit of that. */
  function foldedWithPlaces(text) {
    let folded = ''
    const places = []
    for (let at = 0; at < text.length; ) {
      const character = String.fromCodePoint(text.codePointAt(at))
      const part = character < '\u0080' ? character.toLowerCase() : collabTerms.folded(character)
      for (let unit = 0; unit < part.length; unit++) places.push(at)
      folded += part
      at += character.length
    }
    places.push(text.length)
    return { folded, places }
  }

  /** A pattern of the words of a question, as beginnings of words, and of similar words. */
  function patternOf(question, terms) {
    const words = collabTerms.folded(question).match(new RegExp(`${WORD}+`, 'gu')) ?? []
    const alternatives = words.map((word) =>
      terms.some(({ text, mayContinue }) => mayContinue && word.startsWith(text)) ? `(?<!${WORD})${word}` : word,
    )
    const similar = terms.flatMap((term) =>
      [...term.similar].filter(([, mistakes]) => mistakes <= term.mistakes).map(([word]) => word),
    )
    for (const word of similar) alternatives.push(`(?<!${WORD})${word}(?!${WORD})`)
    return new RegExp(alternatives.sort((a, b) => b.length - a.length).join('|') || '(?!)', 'gu')
  }

  /** The places that a pattern has in a text, in order. */
  function placesIn(text, pattern) {
    const { folded, places } = foldedWithPlaces(text)
    return [...folded.matchAll(pattern)].map(({ 0: found, index }) => {
      const last = places[index + found.length - 1]
      return { from: places[index], to: last + String.fromCodePoint(text.codePointAt(last)).length }
    })
  }

  /** Pieces of a text, those at the places marked. */
  function marked(text, places) {
    const pieces = []
    let end = 0
    for (const { from, to } of places) {
      if (from < end) continue
      if (from > end) pieces.push({ text: text.slice(end, from), isHit: false })
      // With the accents that follow a letter.
      const rest = /^\p{M}*/u.exec(text.slice(to))[0].length
      end = to + rest
      pieces.push({ text: text.slice(from, end), isHit: true })
    }
    if (end < text.length) pieces.push({ text: text.slice(end), isHit: false })
    return pieces
  }

  return { partsOf, hitsIn, patternOf, placesIn, marked }
})()
