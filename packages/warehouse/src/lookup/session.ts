import { type Connection, type Driver, type QueryResult, records } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import type { Person, Slice, Sliced, TextPart } from './types.ts'

/** Longer statements are cancelled; on the embedded database they cannot be. */
const TIMEOUT_MS = 30_000

/** Titles and names are cut after so many characters. */
const MAX_NAME = 1000

/** Runs statements that see one state of the database. Names without a schema are the warehouse's. */
export function reading<T>(
  driver: Driver,
  schema: SchemaNames,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return driver.transaction(
    async (connection) => {
      await connection.script(
        `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SET LOCAL search_path = pg_catalog, ${schema.main}; SET LOCAL statement_timeout = ${TIMEOUT_MS}`,
      )
      return await work(connection)
    },
    { readOnly: true },
  )
}

export type Selected = Readonly<Record<string, unknown>>

export function rowsIn(result: QueryResult): Selected[] {
  return records<Selected>(result)
}

/** The rows of a statement that selects one more than asked for. */
export function sliced<T>(rows: readonly Selected[], limit: number, itemOf: (row: Selected) => T): Sliced<T> {
  return { items: rows.slice(0, limit).map(itemOf), hasMore: rows.length > limit }
}

export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** SQL of a name that may be long. */
export function shortName(column: string): string {
  return `left(${column}, ${MAX_NAME})`
}

/** SQL that selects a part of a text as `text` and its length as `characters`; the parameters are its place from 1 and its length. */
export function partOf(column: string, from: string, length: string): string {
  return `substr(${column}, ${from}::int, ${length}::int) AS text, char_length(${column}) AS characters`
}

/** The part of a text in a row of `partOf`. */
export function textPart(row: Selected, { offset }: Slice): TextPart {
  return { text: text(row['text']) ?? '', offset, total: Number(row['characters'] ?? 0) }
}

/** SQL of the name by which a user `alias` is shown. */
export function userName(alias: string): string {
  return shortName(`coalesce(nullif(${alias}.display_name, ''), ${alias}.name)`)
}

/** The user of a row with `owner_uid` and `owner_name`. */
export function ownerIn(row: Selected): Person | null {
  const uid = text(row['owner_uid'])
  return uid === null ? null : { uid, name: text(row['owner_name']) }
}
