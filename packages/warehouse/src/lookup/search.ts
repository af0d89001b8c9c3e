import { searchWords } from '@collab-etl/contract/search-words'
import { type Connection, records } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import { type HitKey, hitsOf, isEmpty, SEARCH_SOURCES } from './search-hits.ts'
import { SEARCH_KINDS, type SearchHit, type SearchKind, type SearchRequest, type Slice, type Sliced } from './types.ts'

/** Scans are shared with the server's parallel workers: its planner does not count the time that long texts take. */
const SHARED_WORK =
  'SET LOCAL min_parallel_table_scan_size = 0; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0'

const UNSHARED_WORK =
  'SET LOCAL min_parallel_table_scan_size = DEFAULT; SET LOCAL parallel_setup_cost = DEFAULT; SET LOCAL parallel_tuple_cost = DEFAULT'

/**
 * Searches by looking at every text, unless Postgres can use indexes of `pg_trgm` (docs/assistants.md), which change nothing but the time.
 * Substrings find Chinese, Japanese and Thai, which do not separate words.
 */
export async function search(connection: Connection, request: SearchRequest, slice: Slice): Promise<Sliced<SearchHit>> {
  const terms = searchTerms(request.query)
  const count = slice.offset + slice.limit + 1
  const kinds = SEARCH_KINDS.filter((kind) => request.kinds?.includes(kind) ?? true)
  const found: Found[] = []
  await connection.script(SHARED_WORK)
  for (const kind of kinds) found.push(...(await first(connection, { kind, terms, pid: request.pid }, count)))
  await connection.script(UNSHARED_WORK)
  const keys = found.sort(compareFound).slice(slice.offset, count - 1)
  const hits = new Map<string, SearchHit>()
  for (const kind of kinds) {
    const own = keys.filter((key) => key.kind === kind)
    if (own.length > 0) for (const hit of await hitsOf(connection, kind, own, terms)) hits.set(keyOf(hit), hit)
  }
  return {
    items: keys.map((key) => hits.get(keyOf(key))).filter((hit) => hit !== undefined),
    hasMore: found.length >= count,
  }
}

/** The first records of a kind in the order of the results. */
async function first(connection: Connection, sought: Sought, count: number): Promise<Found[]> {
  const { all, inTitle, params } = matchesOf(sought)
  const result = await connection.query(
    `SELECT ${foundColumns(sought.kind, inTitle)} FROM ${SEARCH_SOURCES[sought.kind].table} t
     WHERE t.deleted_at IS NULL AND ${all} ORDER BY ${FOUND_ORDER} LIMIT ${count}`,
    params,
  )
  return records<Found>(result)
}

function keyOf({
  kind,
  pid,
  id,
  cid = '',
}: {
  readonly kind: string
  readonly pid: string
  readonly id: string
  readonly cid?: string
}): string {
  return JSON.stringify([kind, pid, id, cid])
}

/**
 * The words of a search. Each is given in the forms to look for in a text whose ASCII letters are in lower case.
 * @throws WarehouseError `QUERY`
 */
function searchTerms(query: string): string[][] {
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

/** What is searched for in one kind of records. */
interface Sought {
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

function matchesOf({ kind, terms, pid }: Sought): Matches {
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
 * An index of `pg_trgm` can find LIKE, as docs/assistants.md describes. It compares all letters in the lower case of the database's locale, so that it
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

/** A record that has all words, with what it is ordered by. */
interface Found extends HitKey {
  readonly inTitle: number
  /** Seconds since 1970; `null`: unknown, which comes last. */
  readonly time: number | null
}

/** SQL of a `Found`. @param inTitle SQL of the number of words in the title */
function foundColumns(kind: SearchKind, inTitle: string): string {
  const { id, cid, time } = SEARCH_SOURCES[kind]
  return `'${kind}' AS kind, t.pid, t.${id} AS id, ${cid === undefined ? "''" : `t.${cid}`} AS cid, ${inTitle} AS "inTitle",
    extract(epoch FROM t.${time})::double precision AS time`
}

/** SQL of the order of these columns. */
const FOUND_ORDER = '"inTitle" DESC, time DESC NULLS LAST, pid, id, cid'

/** The order of the results; that of one kind is `FOUND_ORDER`: ids by their bytes. */
function compareFound(a: Found, b: Found): number {
  return (
    b.inTitle - a.inTitle ||
    compareTimes(a.time, b.time) ||
    compareBytes(a.kind, b.kind) ||
    compareBytes(a.pid, b.pid) ||
    compareBytes(a.id, b.id) ||
    compareBytes(a.cid, b.cid)
  )
}

/** The latest first. */
function compareTimes(a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return a === b ? 0 : a > b ? -1 : 1
}

function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
