import { isEmpty, SEARCH_SOURCES } from './search-sources.ts'
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
interface Matches {
  /** Whether the row is of the project, and has all terms. */
  readonly all: string
  /** How many of the terms its title has. */
  readonly inTitle: string
  readonly params: unknown[]
}

export function matchesOf({ kind, terms, pid }: Sought): Matches {
  const { title, text } = SEARCH_SOURCES[kind]
  const params: unknown[] = []
  const bind = (value: unknown) => `$${params.push(value)}::text`
  const ofProject = pid === undefined ? [] : [`t.pid = ${bind(pid)}`]
  const [column, other] = text
  const conditions = terms.map((forms) => {
    const has = occurrence(forms, bind)
    const places = [
      ...(title === null ? [] : [has(title)]),
      has(column),
      ...(other === undefined ? [] : [`${isEmpty(column)} AND ${has(other)}`]),
    ]
    return { anywhere: `(${places.join(' OR ')})`, inTitle: title === null ? '0' : `coalesce(${has(title)}::int, 0)` }
  })
  return {
    all: [...ofProject, ...conditions.map(({ anywhere }) => anywhere)].join(' AND '),
    inTitle: `(${conditions.map(({ inTitle }) => inTitle).join(' + ')})`,
    params,
  }
}

/** Three letters or digits in a row: what an index of `pg_trgm` knows of a text. */
const TRIGRAM = /[\p{L}\p{N}]{3}/u

/**
 * SQL: whether a column has one of the forms of a term. By `COLLATE "C"`, `lower` changes ASCII letters alone, by byte.
 *
 * An index of `pg_trgm` can find LIKE, as docs/mcp.md describes. It compares all letters in the lower case of the database's locale, so that it
 * could miss a word that has several forms. `strpos` looks at every text, and skips bytes that cannot begin the form: LIKE takes one and a half
 * times as long.
 */
function occurrence(forms: readonly string[], bind: (value: unknown) => string): (column: string) => string {
  const [form = ''] = forms
  if (forms.length === 1 && TRIGRAM.test(form)) {
    const pattern = bind(`%${form.replaceAll(/[\\%_]/g, '\\$&')}%`)
    return (column) => `(lower(t.${column} COLLATE "C") LIKE ${pattern})`
  }
  const words = forms.map((word) => ({ param: bind(word), isCased: /[a-z]/.test(word) }))
  return (column) => {
    const exact = `t.${column} COLLATE "C"`
    const found = words.map(({ param, isCased }) => `strpos(${isCased ? `lower(${exact})` : exact}, ${param}) > 0`)
    return `(${found.join(' OR ')})`
  }
}
