import type { Connection } from '../driver/driver.ts'
import { asciiLower, searchTerms } from './search-terms.ts'
import { rowsIn, type Selected, shortName, text } from './session.ts'
import { patternsOf, trigramColumns } from './trigrams.ts'
import { SEARCH_KINDS, type SearchHit, type SearchKind, type SearchRequest, type Slice, type Sliced } from './types.ts'

/** Where the title and the text of a kind of records are, with the row as `t`. */
interface Source {
  readonly table: string
  readonly id: string
  /** Column of the comment's own id. */
  readonly cid?: string
  readonly title: string | null
  readonly text: string
  /** The columns of title and text. */
  readonly columns: readonly string[]
  readonly time: string
}

const document = {
  ...{ title: 't.name', text: body('content', 'summary'), time: 'updated_at' },
  columns: ['name', 'content', 'summary'],
}

const SOURCES: Readonly<Record<SearchKind, Source>> = {
  page: { table: 'pages', id: 'page_id', ...document },
  post: { table: 'posts', id: 'post_id', ...document },
  comment: {
    ...{ table: 'post_comments', id: 'post_id', cid: 'cid', title: null, time: 'created_at' },
    ...{ text: body('raw_message', 'message'), columns: ['raw_message', 'message'] },
  },
  task: {
    ...{ table: 'tasks', id: 'tid', title: 't.name', text: 't.description', time: 'updated_at' },
    columns: ['name', 'description'],
  },
}

/** SQL of a text, or another one where it is empty. Only its length is read for that: a text may be stored compressed. */
function body(column: string, other: string): string {
  return `CASE WHEN octet_length(t.${column}) > 0 THEN t.${column} ELSE t.${other} END`
}

/** Scans are shared with the server's parallel workers: its planner does not count the time that long texts take. */
const SHARED_WORK =
  'SET LOCAL min_parallel_table_scan_size = 0; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0'

/** Characters of an excerpt, and of these before the word. */
const EXCERPT = 240
const BEFORE_WORD = 80

/**
 * Searches by looking at every text: extensions cannot be assumed, and neither can an index, as one over all words takes longer to fill than
 * the rest of a first snapshot. Where somebody added trigram indexes, they choose the texts to look at. Substrings find Chinese, Japanese
 * and Thai, which do not separate words.
 */
export async function search(connection: Connection, request: SearchRequest, slice: Slice): Promise<Sliced<SearchHit>> {
  const terms = searchTerms(request.query)
  const kinds = SEARCH_KINDS.filter((kind) => request.kinds?.includes(kind) ?? true)
  const params: unknown[] = []
  const words = terms.map((forms) => forms.map((form) => ({ form, param: `$${params.push(form)}::text` })))
  const indexed = await trigramColumns(connection)
  const isIndexed = ({ table, columns }: Source) => columns.every((column) => indexed.has(`${table}.${column}`))
  const patterns = kinds.some((kind) => isIndexed(SOURCES[kind])) ? terms.map(patternsOf) : []
  const likes = patterns
    .filter((forms) => forms.length > 0)
    .map((forms) => forms.map((pattern) => `$${params.push(pattern)}::text`))
  const where = request.pid === undefined ? '' : ` AND t.pid = $${params.push(request.pid)}::text`
  const count = slice.offset + slice.limit + 1
  const order = 'ORDER BY found DESC, time DESC NULLS LAST, kind, pid, id, cid'
  const branches = kinds.map((kind) => {
    const { table, id, cid, title, text: content, columns: stored, time } = SOURCES[kind]
    const found = title === null ? '0' : words.map((word) => `(${matches(title, word)})::int`).join(' + ')
    const columns = [...(title === null ? [] : [title]), content]
    const all = words.map((word) => `(${columns.map((column) => matches(column, word)).join(' OR ')})`)
    if (isIndexed(SOURCES[kind])) all.push(...likes.map((forms) => isLike(stored, forms)))
    return `(SELECT '${kind}' AS kind, t.pid, t.${id} AS id, ${cid === undefined ? "''" : `t.${cid}`} AS cid, ${found} AS found, t.${time} AS time
      FROM ${table} t WHERE t.deleted_at IS NULL${where} AND ${all.join(' AND ')} ${order} LIMIT ${count})`
  })
  if (branches.length === 0) return { items: [], hasMore: false }
  await connection.script(SHARED_WORK)
  const result = await connection.query(
    `SELECT kind, pid, id, cid FROM (${branches.join(' UNION ALL ')}) h ${order} LIMIT ${slice.limit + 1} OFFSET ${slice.offset}`,
    params,
  )
  const rows = rowsIn(result)
  const keys = rows.slice(0, slice.limit)
  const hits = new Map<string, SearchHit>()
  for (const kind of kinds) {
    const own = keys.filter((row) => row['kind'] === kind)
    if (own.length > 0) for (const hit of await hitsOf(connection, kind, own, terms)) hits.set(keyOf(hit), hit)
  }
  const items = keys
    .map((row) => hits.get(keyOf({ ...row, ...(row['cid'] === '' && { cid: undefined }) })))
    .filter((hit) => hit !== undefined)
  return { items, hasMore: rows.length > slice.limit }
}

function keyOf({ kind, pid, id, cid }: { readonly [name in 'kind' | 'pid' | 'id' | 'cid']?: unknown }): string {
  return JSON.stringify([kind, pid, id, cid])
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
function matches(column: string, forms: readonly Form[]): string {
  const exact = `(${column}) COLLATE "C"`
  const found = forms.map(
    ({ form, param }) => `strpos(${/[a-z]/.test(form) ? `lower(${exact})` : exact}, ${param}) > 0`,
  )
  return `coalesce(${found.join(' OR ')}, false)`
}

/** SQL: whether a column has one of the patterns. Of this alone an index makes use. */
function isLike(columns: readonly string[], patterns: readonly string[]): string {
  return `(${columns.flatMap((column) => patterns.map((pattern) => `t.${column} ILIKE ${pattern}`)).join(' OR ')})`
}

/** Titles and excerpts, for the few records that are shown. */
async function hitsOf(
  connection: Connection,
  kind: SearchKind,
  keys: readonly Selected[],
  terms: readonly string[][],
): Promise<SearchHit[]> {
  const { table, id, cid, title, text: content, time } = SOURCES[kind]
  const forms = terms.flat().map(asciiLower)
  const post =
    title === null ? 'LEFT JOIN posts p ON p.pid = t.pid AND p.post_id = t.post_id AND p.deleted_at IS NULL' : ''
  const result = await connection.query(
    `SELECT t.pid, t.${id} AS id, ${cid === undefined ? 'NULL' : `t.${cid}`} AS cid, ${shortName('r.name')} AS project_name,
       ${shortName(title ?? 'p.name')} AS name, t.${time} AS updated_at,
       substr(${content}, greatest(coalesce((SELECT min(strpos(lower((${content}) COLLATE "C"), form)) FROM unnest($1::text[]) form
         WHERE strpos(lower((${content}) COLLATE "C"), form) > 0), 1) - ${BEFORE_WORD}, 1), ${EXCERPT}) AS excerpt
     FROM unnest($2::text[], $3::text[], $4::text[]) AS k (pid, id, cid)
     JOIN ${table} t ON t.pid = k.pid AND t.${id} = k.id${cid === undefined ? '' : ` AND t.${cid} = k.cid`}
     LEFT JOIN projects r ON r.pid = t.pid ${post}`,
    [forms, ...['pid', 'id', 'cid'].map((name) => keys.map((row) => row[name]))],
  )
  return rowsIn(result).map((row) => {
    const own = text(row['cid'])
    return {
      kind,
      pid: String(row['pid']),
      project_name: text(row['project_name']),
      id: String(row['id']),
      ...(own !== null && { cid: own }),
      name: text(row['name']),
      updated_at: text(row['updated_at']),
      excerpt: text(row['excerpt']) ?? '',
    }
  })
}
