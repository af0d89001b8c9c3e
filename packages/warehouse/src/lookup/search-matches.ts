import { SEARCH_SOURCES, type SearchSource } from './search-sources.ts'
import type { SearchKind } from './types.ts'

/** What is searched for in one kind of records. */
export interface Sought {
  readonly kind: SearchKind
  /** The forms of each term, see `searchTerms`. */
  readonly terms: readonly (readonly string[])[]
  /** `undefined`: in all projects. */
  readonly pid: string | undefined
}

/** SQL about a row `t` of a source, and its parameters. */
export interface Matches {
  /** Whether the row is of the project, and has all terms. */
  readonly all: string
  /** How many of the terms its title has. */
  readonly inTitle: string
  readonly params: unknown[]
  /** Adds a parameter, returns its SQL. */
  readonly bind: (value: unknown) => string
}

/** The exact conditions of a search. */
export function matchesOf({ kind, terms, pid }: Sought): Matches {
  const params: unknown[] = []
  const bind = (value: unknown) => `$${params.push(value)}`
  const ofProject = pid === undefined ? '' : `t.pid = ${bind(pid)}::text AND `
  const { all, inTitle } = inTexts(SEARCH_SOURCES[kind], terms, bind)
  return { all: `${ofProject}${all}`, inTitle, params, bind }
}

function inTexts(
  { title, text }: SearchSource,
  terms: Sought['terms'],
  bind: Matches['bind'],
): Pick<Matches, 'all' | 'inTitle'> {
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
