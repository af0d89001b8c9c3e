import type { SearchSource } from './search-sources.ts'

/** SQL about a row `t` of a source: whether it has all terms, and how many of them its title has. */
export interface Matches {
  readonly all: string
  readonly inTitle: string
}

/**
 * The exact conditions of a search.
 * @param terms the forms of each, see `searchTerms`
 * @param bind adds a parameter, returns its SQL
 */
export function matchesOf(
  { title, text }: SearchSource,
  terms: readonly (readonly string[])[],
  bind: (value: unknown) => string,
): Matches {
  const words = terms.map((forms) => forms.map((form) => ({ form, param: `${bind(form)}::text` })))
  const columns = [...(title === null ? [] : [title]), text]
  return {
    all: words.map((word) => `(${columns.map((column) => has(column, word)).join(' OR ')})`).join(' AND '),
    inTitle: title === null ? '0' : `(${words.map((word) => `(${has(title, word)})::int`).join(' + ')})`,
  }
}

/** A form of a term, and the parameter that holds it. */
interface Form {
  readonly form: string
  readonly param: string
}

/**
 * SQL: whether a column has one of the forms of a term, `NULL` being empty. By `COLLATE "C"`, `lower` changes ASCII letters alone, by byte, and
 * `strpos` skips bytes that cannot begin the form: LIKE takes one and a half times as long.
 */
function has(column: string, forms: readonly Form[]): string {
  const exact = `(${column}) COLLATE "C"`
  const found = forms.map(
    ({ form, param }) => `strpos(${/[a-z]/.test(form) ? `lower(${exact})` : exact}, ${param}) > 0`,
  )
  return `coalesce(${found.join(' OR ')}, false)`
}
