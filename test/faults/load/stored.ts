import { setTimeout as sleep } from 'node:timers/promises'
import { TABLES } from '@collab-etl/warehouse'
import pg from 'pg'
import { type Digest, type Digests, HASH_DIGITS } from './truth.ts'

/** Tables of records and of their history. */
const RECORD_TABLES = TABLES.map(({ name }) => name)

const SCHEMA = 'collab'

/** Time for closed sessions to disappear, in milliseconds. */
const PATIENCE_MS = 5000

/** Contents of a warehouse database, read without the product. */
export interface Stored {
  /** Other sessions in it. */
  readonly connections: number
  /** Rows of record tables and history that were inserted, updated or deleted so far, as counted by the server. */
  readonly writes: number
  /** Superseded versions. */
  readonly pastTasks: number
  /** Rows of the run log: scopes of all runs. */
  readonly scopes: number
  /** In bytes, with indexes. */
  readonly size: { readonly records: number; readonly runLog: number; readonly staging: number }
  readonly digests: Digests
}

export class StoredState implements AsyncDisposable {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async open(databaseUrl: string): Promise<StoredState> {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    // Parallel plans need more shared memory than containers have.
    await client.query('SET max_parallel_workers_per_gather = 0')
    return new StoredState(client)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
  }

  async look(): Promise<Stored> {
    // The statistics of a session are complete after its end.
    const connections = await this.#connections()
    const [figures] = await this.#rows<Record<'writes' | 'past' | 'scopes', string>>(
      `SELECT (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables
               WHERE schemaname = ANY ($1) AND relname = ANY ($2)) AS writes,
              (SELECT count(*) FROM ${SCHEMA}_history.tasks) AS past,
              (SELECT count(*) FROM ${SCHEMA}.run_scopes) AS scopes`,
      [[SCHEMA, `${SCHEMA}_history`], RECORD_TABLES],
    )
    return {
      connections,
      writes: Number(figures?.writes),
      pastTasks: Number(figures?.past),
      scopes: Number(figures?.scopes),
      size: await this.#size(),
      digests: {
        tasks: await this.#digest(
          'tasks',
          "concat_ws('|', pid, tid, name, (extract(epoch FROM updated_at) * 1000)::bigint, archived)",
        ),
        todos: await this.#digest('task_todos', "concat_ws('|', pid, tid, todo_id, checked)"),
      },
    }
  }

  async #connections(): Promise<number> {
    const end = performance.now() + PATIENCE_MS
    for (;;) {
      const rows = await this.#rows(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      )
      if (rows.length === 0 || performance.now() > end) return rows.length
      await sleep(20)
    }
  }

  async #size(): Promise<Stored['size']> {
    const [found] = await this.#rows<Record<'records' | 'run_log' | 'staging', string | null>>(
      `SELECT sum(size) FILTER (WHERE space = ANY ($1) AND name = ANY ($2)) AS records,
              sum(size) FILTER (WHERE space = ANY ($1) AND NOT name = ANY ($2)) AS run_log,
              sum(size) FILTER (WHERE space = '${SCHEMA}_stage') AS staging
       FROM (SELECT n.nspname::text AS space, c.relname::text AS name, pg_total_relation_size(c.oid) AS size
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r') t`,
      [[SCHEMA, `${SCHEMA}_history`], RECORD_TABLES],
    )
    return { records: Number(found?.records), runLog: Number(found?.run_log), staging: Number(found?.staging) }
  }

  async #digest(table: string, text: string): Promise<Digest> {
    const [found] = await this.#rows<{ rows: string; sum: string }>(
      `SELECT count(*) AS rows, coalesce(sum(('x' || left(md5(${text}), ${HASH_DIGITS}))::bit(${4 * HASH_DIGITS})::bigint), 0) AS sum
       FROM ${SCHEMA}.${table} WHERE deleted_at IS NULL`,
    )
    return { rows: Number(found?.rows), sum: BigInt(found?.sum ?? 0) }
  }

  async #rows<R extends object>(sql: string, params: unknown[] = []): Promise<R[]> {
    return (await this.#client.query<R>(sql, params)).rows
  }
}
