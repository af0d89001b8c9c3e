// What a text is looked up by: used when the backup is written and when it is searched, so that both agree.
globalThis.collabTerms = (() => {
  const WORD = /[\p{L}\p{M}\p{N}_]+/gu
  const MARKS = /[\u0300-\u036f]+/g

  /** Scripts that put no spaces between words. */
  const UNSPACED =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu

  /** Longer words are found by their beginning. */
  const MAX_WORD = 40

  /** In lower case, without accents, with full-width letters and the like as usual ones. */
  const folded = (text) => text.normalize('NFKD').replace(MARKS, '').normalize('NFC').toLowerCase()

  /** Gives each run of characters without spaces between words, and each word of the others. */
  function split(text, onRun, onWord) {
    for (const [word] of folded(text).matchAll(WORD)) {
      let end = 0
      for (const { 0: run, index } of word.matchAll(UNSPACED)) {
        if (index > end) onWord(word.slice(end, Math.min(index, end + MAX_WORD)))
        onRun([...run])
        end = index + run.length
      }
      if (word.length > end) onWord(word.slice(end, end + MAX_WORD))
    }
  }

  const pair = (run, index) => run[index] + run[index + 1]

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

    /** The terms of a question. */
    ofQuestion(text) {
      const terms = []
      const onRun = (run) => {
        if (run.length === 1) terms.push(run[0])
        for (let index = 0; index < run.length - 1; index++) terms.push(pair(run, index))
      }
      split(text, onRun, (word) => terms.push(word))
      return terms
    },

    /** Whether texts with more behind a term of a question are meant too: what one types may be half a word. */
    mayContinue(term) {
      return [...term].length === 1 || term.search(UNSPACED) === -1
    },

    folded,
  }
})()
