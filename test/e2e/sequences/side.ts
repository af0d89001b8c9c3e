import { join } from 'node:path'
import { type Ran, type RunOptions, run } from '@collab-etl/harness/commands'
import type { TestDatabase } from '@collab-etl/harness/postgres'
import { filesOf } from '@collab-etl/harness/trees'
import { withoutReading } from '@collab-etl/harness/without-reading'
import { TABLES } from '@collab-etl/warehouse'
import pg from 'pg'

/** One of the two sides of the comparison: a warehouse and its backups. */
export class Side implements AsyncDisposable {
  readonly name: string
  readonly #env: Readonly<Record<string, string>>
  readonly #backups: string
  readonly #database: TestDatabase
  readonly #client: pg.Client
  readonly #connected: Promise<unknown>

  constructor(name: string, database: TestDatabase, directory: string, env: Readonly<Record<string, string>>) {
    this.name = name
    this.#database = database
    this.#backups = join(directory, name)
    this.#env = { ...env, DATABASE_URL: database.url }
    this.#client = new pg.Client({ connectionString: database.url })
    this.#connected = this.#client.connect()
  }

  /** Runs statements as another session. */
  async script(sql: string): Promise<void> {
    await this.#query(sql)
  }

  snapshot(args: readonly string[], options?: RunOptions): Promise<Ran> {
    return run('collab-extract', ['snapshot', '--json', '--allow-shrink', ...args], { ...options, env: this.#env })
  }

  backup(args: readonly string[], options?: RunOptions): Promise<Ran> {
    return run('collab-export', ['backup', '--out', this.#backups, '--json', ...args], { ...options, env: this.#env })
  }

  verify(): Promise<Ran> {
    return run('collab-export', ['verify', this.#backups], { env: this.#env })
  }

  /** Blocks of received bytes that the next snapshot can recognise. */
  async receivedBlocks(): Promise<number> {
    const { rows } = await this.#query('SELECT count(*)::integer AS blocks FROM collab_stage.received')
    return rows[0].blocks
  }

  /** Every row, including superseded and deleted ones, with nights in place of times, and how each scope was last read. */
  async contents(nights: readonly number[]): Promise<Record<string, readonly string[]>> {
    const rows = [...TABLES.flatMap(({ name }) => [`collab.${name}`, `collab_history.${name}`])].map(
      (table) => `SELECT '${table}' AS name, to_jsonb(t) AS row FROM ${table} t`,
    )
    const known = ['post', 'file'].map(
      (kind) =>
        `SELECT 'known_${kind}s', to_jsonb(k) - '{source,missed,first_seen_at,ask_again_at,read_at}'::text[] FROM collab.known_${kind}s k`,
    )
    const scopes = `SELECT 'run_scopes', to_jsonb(s) FROM (
      SELECT DISTINCT ON (pid, stream) pid, stream, status, rows_read, records_read, content_hash
      FROM collab.run_scopes WHERE status <> 'skipped' ORDER BY pid, stream, started_at DESC) s`
    const result = await this.#query([...rows, ...known, scopes].join(' UNION ALL '))
    const contents: Record<string, string[]> = {}
    for (const { name, row } of result.rows) {
      for (const column of ['valid_from', 'valid_to', 'deleted_at', 'unlisted_since'])
        if (typeof row[column] === 'string') row[column] = nightOf(Date.parse(row[column]), nights)
      contents[name] ??= []
      contents[name].push(JSON.stringify(row))
    }
    for (const lines of Object.values(contents)) lines.sort()
    return contents
  }

  /** The files of the latest backup. Its manifest is without values that depend on the run. */
  async files(): Promise<Record<string, unknown>> {
    const data = join(this.#backups, 'latest', 'data')
    const { 'backup.json': manifest = '', ...files } = Object.fromEntries(withoutReading(await filesOf(data)))
    return { ...files, 'backup.json': withoutRun(JSON.parse(manifest)) }
  }

  async #query(sql: string): Promise<pg.QueryResult> {
    await this.#connected
    return await this.#client.query(sql)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
    await this.#database.drop()
  }
}

const nightOf = (time: number, nights: readonly number[]) => `night ${nights.findLastIndex((start) => start <= time)}`

/** Keys of the backup manifest whose values depend on the run. */
const OF_RUN = ['run_id', 'created_at', 'started_at', 'finished_at', 'as_of', 'requests', 'bytes_read', 'retries']

function withoutRun(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, of) => (OF_RUN.includes(name) ? undefined : of)))
}
