import { type Connection, type Driver, records } from '../driver/driver.ts'
import { fetchAll } from '../driver/fetch-size.ts'
import { literal, type SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import type { TableName } from '../tables/table.ts'

/** A record that a run added, changed or deleted: a row of the view `changes`. */
export interface Change {
  /** Start of the run; of a net change, `null`. */
  readonly changed_at: string | null
  /** `null` if another program wrote the change, and of a net change. */
  readonly run_id: string | null
  readonly table_name: TableName
  readonly pid: string | null
  readonly key: Readonly<Record<string, unknown>>
  readonly change: 'added' | 'changed' | 'deleted'
  /** The columns that differ; `null` unless changed. */
  readonly columns: readonly string[] | null
  readonly old_values: Readonly<Record<string, unknown>> | null
  readonly new_values: Readonly<Record<string, unknown>> | null
}

export interface ChangesOptions {
  /** Changes of runs that began after this time; default: all. */
  readonly since?: Date | undefined
  /** Changes of runs that began by this time; default: of all runs that have ended. */
  readonly until?: Date | undefined
  /** One change per record: the difference between the states of both times. Default: each change of each run. */
  readonly isNet?: boolean | undefined
  readonly tables?: readonly TableName[] | undefined
  /** Default: all projects, and what belongs to none. */
  readonly pids?: readonly string[] | undefined
  /** After which each statement is cancelled (Postgres); default: never. Above 0. */
  readonly timeoutSeconds?: number | undefined
}

export interface ChangesRead {
  readonly count: number
  /** The run under way whose changes were left out because they are not complete; `null`: there was none within the span. */
  readonly leftOut: string | null
}

/**
 * Reads changes in the order of their time, table, project and key, from one snapshot of the database. `receive` gets a batch at a time,
 * and reading waits for it.
 */
export async function readChanges(
  driver: Driver,
  schema: SchemaNames,
  options: ChangesOptions,
  receive: (changes: readonly Change[]) => Promise<void>,
): Promise<ChangesRead> {
  return await driver.transaction(
    async (connection) => {
      await connection.script('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
      if (options.timeoutSeconds !== undefined)
        await connection.script(`SET LOCAL statement_timeout = ${Math.ceil(options.timeoutSeconds * 1000)}`)
      const { span, leftOut } = await endedSpan(connection, schema, options)
      const statement =
        options.isNet === true ? netChanges(schema, span, options) : changesOfRuns(schema, span, options)
      const count = await fetchAll(connection, statement, async (batch) => {
        const changes = records<Change>(batch)
        await receive(changes)
        return changes.reduce((bytes, change) => bytes + bytesOf(change), 0)
      })
      return { count, leftOut }
    },
    { readOnly: true },
  )
}

/** About: values that are no texts are small, but for unknown fields. */
function bytesOf({ old_values: before, new_values: after }: Change): number {
  const sizeOf = (value: unknown) =>
    typeof value === 'string' ? value.length : typeof value === 'object' ? JSON.stringify(value).length : 10
  return [before, after]
    .flatMap((row) => Object.values(row ?? {}))
    .reduce<number>((sum, value) => sum + sizeOf(value), 0)
}

/** The bounds of the span as SQL: the first excluded, the last included. */
interface Span {
  readonly since: string
  readonly until: string
}

/** A run under way has not written all its changes: they are left out, with those of later runs. */
async function endedSpan(
  connection: Connection,
  schema: SchemaNames,
  { since, until }: ChangesOptions,
): Promise<{ span: Span; leftOut: string | null }> {
  const bound = (time: Date | undefined, unbounded: string) => `'${time?.toISOString() ?? unbounded}'::timestamptz`
  const asked = { since: bound(since, '-infinity'), until: bound(until, 'infinity') }
  const { rows } = await connection.query(
    `SELECT run_id, (started_at - interval '1 microsecond')::text FROM ${schema.main}.runs
     WHERE status = 'running' AND started_at > ${asked.since} AND started_at <= ${asked.until} ORDER BY started_at LIMIT 1`,
  )
  const [runId, before] = rows[0] ?? []
  if (typeof runId !== 'string') return { span: asked, leftOut: null }
  return { span: { ...asked, until: `'${String(before)}'::timestamptz` }, leftOut: runId }
}

const COLUMNS = 'table_name, pid, key, change, columns, old_values, new_values'
const WITHIN_RUN = 'table_number, pid COLLATE "C" NULLS FIRST, key::text COLLATE "C"'

function changesOfRuns({ main }: SchemaNames, { since, until }: Span, options: ChangesOptions): string {
  const conditions = [`changed_at > ${since}`, `changed_at <= ${until}`, ...conditionsOf(options)]
  return `SELECT changed_at, run_id, ${COLUMNS} FROM ${main}.changes WHERE ${conditions.join(' AND ')}
    ORDER BY changed_at, ${WITHIN_RUN}`
}

function netChanges({ main }: SchemaNames, { since, until }: Span, options: ChangesOptions): string {
  const conditions = ['true', ...conditionsOf(options)]
  return `SELECT NULL::timestamptz AS changed_at, NULL::text AS run_id, ${COLUMNS} FROM ${main}.changes_between(${since}, ${until})
    WHERE ${conditions.join(' AND ')} ORDER BY ${WITHIN_RUN}`
}

function conditionsOf({ tables, pids }: ChangesOptions): string[] {
  return [
    ...(tables === undefined ? [] : [`table_name IN (${tables.map(literal).join(', ') || 'NULL'})`]),
    ...(pids === undefined ? [] : [inProjects(pids.map((pid) => literal(storedId(pid))).join(', ') || 'NULL')]),
  ]
}

/** Only webhooks move between projects: such a change is one of both. */
function inProjects(pids: string): string {
  return `(pid IN (${pids}) OR table_name = 'webhooks' AND old_values ->> 'pid' IN (${pids}))`
}
