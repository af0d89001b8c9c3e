import { WarehouseError } from '../errors.ts'

/** Each word is another pass over all texts. */
const MAX_TERMS = 8

/** A longer word is most likely a whole text that was pasted. */
const MAX_TERM_CHARACTERS = 200

/**
 * The words of a search. Each is given in the forms to look for in a text whose ASCII letters are in lower case.
 * @throws WarehouseError `QUERY`
 */
export function searchTerms(query: string): string[][] {
  const words = new Set(
    [...query.toWellFormed().matchAll(/"([^"]+)"|[^\s"]+/g)].map(([whole, quoted]) => quoted ?? whole),
  )
  const terms = [...words].map((word) => word.trim().replaceAll('\0', '')).filter((word) => word !== '')
  if (terms.length === 0) throw new WarehouseError('QUERY', 'the search has no word: give at least one')
  if (terms.length > MAX_TERMS) throw new WarehouseError('QUERY', `the search has more than ${MAX_TERMS} words`)
  if (terms.some((term) => term.length > MAX_TERM_CHARACTERS))
    throw new WarehouseError('QUERY', `a word of the search has more than ${MAX_TERM_CHARACTERS} characters`)
  // long words are rare: texts without the first one are not searched for the others
  return terms.sort((a, b) => b.length - a.length).map(formsOf)
}

/**
 * Postgres turns texts into lower case quickly only if that concerns ASCII letters alone. Of other letters, these forms cover words in
 * lower case, in capitals, with a capital first letter, and as they were typed.
 */
function formsOf(term: string): string[] {
  const lower = term.toLowerCase()
  const [first = ''] = lower
  const forms = [lower, term, term.toUpperCase(), first.toUpperCase() + lower.slice(first.length)]
  return [...new Set(forms.map(asciiLower))]
}

/** The text with its ASCII letters in lower case. */
export function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
