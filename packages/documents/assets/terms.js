// What a text is looked up by, and how much it counts: used when the backup is written and when it is searched, so that both agree.
globalThis.collabTerms = (() => {
  const WORD = /[\p{L}\p{M}\p{N}_]+/gu
  const MARKS = /[\u0300-\u036f]+/g

  /** Letters that are often typed as others and that Unicode does not decompose. */
  const LETTERS = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i', ς: 'σ' }
  const ANY_LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')

  /** Scripts that put no spaces between words. */
  const UNSPACED =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu

  /** UTF-16 units; longer words are found by their beginning. */
  const MAX_WORD = 40

  /** What a term in a text counts, by its number of occurrences and the length of the text. */
  const IN_TEXT = [0, 0.4, 0.7, 1, 1.4, 1.9]

  /** What a term in a title counts beside that: the less there is beside it, the more. */
  const IN_TITLE = [0, 2.5, 3.5, 5]

  /** Different terms of an average text; texts with fewer count more. */
  const AVERAGE = 300

  /** In lower case, without accents, with full-width letters and the like as usual ones, and ß as ss. */
  const folded = (text) =>
    text
      .normalize('NFKD')
      .replace(MARKS, '')
      .normalize('NFC')
      .toLowerCase()
      .replace(ANY_LETTER, (letter) => LETTERS[letter])

  /** Half of a character that the limit divided is no part of a term. */
  const cut = (word) => (word.length <= MAX_WORD ? word : word.slice(0, MAX_WORD).replace(/[\ud800-\udbff]$/, ''))

  /** Gives each run of characters without spaces between words, and each word of the others. */
  function split(text, onRun, onWord) {
    const plain = folded(text)
    const isSpaced = plain.search(UNSPACED) === -1
    for (const [word] of plain.matchAll(WORD)) {
      let end = 0
      // Not for each word of most texts: it takes longer than the rest.
      for (const { 0: run, index } of isSpaced ? [] : word.matchAll(UNSPACED)) {
        if (index > end) onWord(cut(word.slice(end, index)))
        onRun([...run])
        end = index + run.length
      }
      if (word.length > end) onWord(cut(word.slice(end)))
    }
  }

  const pair = (run, index) => run[index] + run[index + 1]

  const nearest = (levels, value) =>
    levels.reduce((best, level, at) => (Math.abs(level - value) < Math.abs(levels[best] - value) ? at : best), 0)

  return {
    /** The terms of a text that is to be found: words, and pairs of characters where there are no spaces between them. */
    ofText(text) {
      const terms = []
      const onRun = (run) => {
        for (let index = 0; index < run.length - 1; index++) terms.push(pair(run, index))
        // The last character by itself: a single one is looked up as the beginning of a pair.
        terms.push(run[run.length - 1])
      }
      split(text, onRun, (word) => terms.push(word))
      return terms
    },

    /** The different terms of a question. */
    ofQuestion(text) {
      const terms = new Set()
      const onRun = (run) => {
        if (run.length === 1) terms.add(run[0])
        for (let index = 0; index < run.length - 1; index++) terms.add(pair(run, index))
      }
      split(text, onRun, (word) => terms.add(word))
      return [...terms]
    },

    /** Whether texts with more behind a term of a question are meant too: what one types may be half a word. */
    mayContinue(term) {
      return [...term].length === 1 || term.search(UNSPACED) === -1
    },

    /** How many typing mistakes a term of a question may have: none if it is a number or an id. */
    mistakes(term) {
      if (/\p{N}/u.test(term) || term.search(UNSPACED) !== -1) return 0
      const { length } = [...term]
      return length >= 8 ? 2 : length >= 4 ? 1 : 0
    },

    weight(count, textTerms, isInTitle, titleTerms) {
      const inText = (2.2 * count) / (count + 1.2 * (0.25 + (0.75 * textTerms) / AVERAGE))
      const level = count === 0 ? 0 : Math.max(1, nearest(IN_TEXT, inText))
      return level + IN_TEXT.length * (isInTitle ? (titleTerms <= 2 ? 3 : titleTerms <= 6 ? 2 : 1) : 0)
    },

    /** The capital letter of a weight in the index. */
    letterOf: (weight) => String.fromCharCode(65 + weight),

    /** What each weight counts. */
    weights: IN_TITLE.flatMap((inTitle) => IN_TEXT.map((inText) => inTitle + inText)),

    folded,
  }
})()
