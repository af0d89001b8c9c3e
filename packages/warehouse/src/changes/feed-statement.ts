import { columnList, literal, quoted, type SchemaNames } from '../names.ts'
import { CHANGED_AT, DELETED_AT, type FeedTable, isOfLog, VERSION_COLUMNS } from './feed-tables.ts'

/** Which rows of a table to read. Times are texts that Postgres reads. */
export interface FeedSpan {
  readonly table: FeedTable
  /** Columns of the records, in their order. */
  readonly columns: readonly string[]
  /** Only what changed after this time; default: all rows, with those that are marked deleted. */
  readonly since?: string | undefined
  /** The rows as of this time: the start of a run that has ended, later than which is at most one that is under way. */
  readonly until: string
}

/** One column of text without control characters, a JSON object for each row between the texts, in the order of the key. */
export function feedStatement(schema: SchemaNames, span: FeedSpan, before: string, after: string): string {
  const { table, columns } = span
  const rows = `SELECT row_to_json(r)::text AS line FROM (SELECT ${columnList(columns)} FROM (${rowsOf(schema, span)}) AS version
    ORDER BY ${columnList(table.key)}) AS r`
  return `SELECT ${literal(before)} || line || ${literal(after)} FROM (${rows}) AS l`
}

function rowsOf(schema: SchemaNames, span: FeedSpan): string {
  const { table, since } = span
  if (table.name === 'runs') {
    return `SELECT * FROM ${schema.main}.runs WHERE status <> 'running' AND started_at <= ${time(span.until)}`
  }
  if (isOfLog(table)) return `SELECT * FROM ${schema.main}.${quoted(table.name)}`
  return since === undefined ? allRows(schema, span) : changedRows(schema, span, since)
}

/**
 * A row that the run under way wrote is read from its last version before. The others are current, or were marked deleted by then or
 * later.
 */
function allRows(schema: SchemaNames, span: FeedSpan): string {
  const { main, of } = partsOf(schema, span)
  const until = time(span.until)
  const deleted = `CASE WHEN m.deleted_at <= ${until} THEN m.deleted_at END`
  return `SELECT ${of('m')}, coalesce(${deleted}, m.valid_from) AS ${CHANGED_AT.name}, ${deleted} AS ${DELETED_AT.name}
      FROM ${main} m WHERE m.valid_from <= ${until}
    UNION ALL
    ${lastVersions(schema, span, `SELECT ${columnList(span.table.key)} FROM ${main} WHERE valid_from > ${until}`, 'true')}`
}

/** Versions that began within the span and exist at its end, and the last ones of records that were deleted within it. */
function changedRows(schema: SchemaNames, span: FeedSpan, since: string): string {
  const { main, past, of } = partsOf(schema, span)
  const [from, until] = [time(since), time(span.until)]
  const begun = (alias: string) => `${alias}.valid_from > ${from} AND ${alias}.valid_from <= ${until}`
  const ended = `SELECT DISTINCT ${columnList(span.table.key)} FROM ${past}
    WHERE valid_to > ${from} AND valid_to <= ${until} AND valid_from < valid_to`
  return `SELECT ${of('m')}, m.valid_from AS ${CHANGED_AT.name}, NULL::timestamptz AS ${DELETED_AT.name}
      FROM ${main} m WHERE m.deleted_at IS NULL AND ${begun('m')}
    UNION ALL
    SELECT ${of('h')}, h.valid_from, NULL FROM ${past} h WHERE ${begun('h')} AND h.valid_to > ${until}
    UNION ALL
    ${lastVersions(schema, span, ended, `v.valid_to <= ${until}`)}`
}

/** The last version of each of these records that began by the end of the span, if it fulfils the condition; `valid_to` is null if it is current. */
function lastVersions(schema: SchemaNames, span: FeedSpan, keys: string, condition: string): string {
  const { main, past, of } = partsOf(schema, span)
  const until = time(span.until)
  const same = (alias: string) =>
    span.table.key.map((name) => `${alias}.${quoted(name)} = k.${quoted(name)}`).join(' AND ')
  const deleted = `CASE WHEN v.valid_to <= ${until} THEN v.valid_to END`
  return `SELECT ${of('v')}, coalesce(${deleted}, v.valid_from), ${deleted}
    FROM (${keys}) AS k CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT ${of('m')}, NULL::timestamptz AS valid_to FROM ${main} m
          WHERE ${same('m')} AND m.deleted_at IS NULL AND m.valid_from <= ${until}
        UNION ALL
        SELECT ${of('h')}, h.valid_to FROM ${past} h WHERE ${same('h')} AND h.valid_from <= ${until} AND h.valid_from < h.valid_to
      ) AS versions ORDER BY valid_from DESC, valid_to DESC NULLS FIRST LIMIT 1
    ) AS v WHERE ${condition}`
}

function partsOf(schema: SchemaNames, { table }: FeedSpan) {
  const added = new Set(VERSION_COLUMNS.map(({ name }) => name))
  const own = [...table.columns.map(({ name }) => name).filter((name) => !added.has(name)), 'valid_from']
  return {
    main: `${schema.main}.${quoted(table.name)}`,
    past: `${schema.history}.${quoted(table.name)}`,
    of: (alias: string) => columnList(own, alias),
  }
}

const time = (text: string) => `${literal(text)}::timestamptz`
