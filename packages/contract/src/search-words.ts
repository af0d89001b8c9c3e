/** Each word is another pass over all texts. */
const MAX_WORDS = 8

/** A longer word is most likely a whole text that was pasted. */
const MAX_WORD_CHARACTERS = 200

/** Why a search cannot be carried out, for whoever typed it. */
export interface UnfitSearch {
  readonly problem: string
}

/**
 * The words of a search as they were typed, each once: what is between spaces, or between double quotes. At most 8, of at most 200 UTF-16 units
 * each. Searches of a warehouse and of a backup have the same words.
 */
export function searchWords(query: string): readonly string[] | UnfitSearch {
  const parts = query.toWellFormed().matchAll(/"([^"]+)"|[^\s"]+/g)
  const found = [...parts].map(([whole, quoted]) => (quoted ?? whole).replaceAll('\0', '').trim())
  const words = [...new Set(found)].filter((word) => word !== '')
  if (words.length === 0) return { problem: 'the search has no word: give at least one' }
  if (words.length > MAX_WORDS) return { problem: `the search has more than ${MAX_WORDS} words` }
  if (words.some((word) => word.length > MAX_WORD_CHARACTERS)) {
    return { problem: `a word of the search has more than ${MAX_WORD_CHARACTERS} characters` }
  }
  return words
}
