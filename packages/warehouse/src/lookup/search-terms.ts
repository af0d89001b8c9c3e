import { searchWords } from '@collab-etl/contract/search-words'
import { WarehouseError } from '../errors.ts'

/**
 * The words of a search. Each is given in the forms to look for in a text whose ASCII letters are in lower case.
 * @throws WarehouseError `QUERY`
 */
export function searchTerms(query: string): string[][] {
  const words = searchWords(query)
  if ('problem' in words) throw new WarehouseError('QUERY', words.problem)
  // long words are rare: texts without the first one are not searched for the others
  return words.toSorted((a, b) => b.length - a.length).map(formsOf)
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

function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
