import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backend } from '@collab-etl/harness/backends'
import { type Ran, type RunOptions, run, scratchDirectory } from '@collab-etl/harness/commands'
import { type PlainRow, type PlainTables, TABLES } from '@collab-etl/harness/expected-rows'
import { onServer } from '@collab-etl/harness/postgres'
import { filesOf } from '@collab-etl/harness/trees'
import { withoutReading } from '@collab-etl/harness/without-reading'
import type { Sandbox } from '@collab-etl/sandbox'
import { openWarehouse, type Warehouse } from '@collab-etl/warehouse'
import { warehouseDashboard } from '../../deploy/support/dashboards.ts'
import { MOST_PASSING } from './plan.ts'
import { plain } from './rows.ts'
import type { Seen } from './truth.ts'

/** A warehouse and its backups. */
export class Place implements AsyncDisposable {
  readonly env: Readonly<Record<string, string>>
  readonly #directory: string
  readonly #opened: readonly AsyncDisposable[]
  readonly #runs = new Set<unknown>()
  #backups = 0
  #warehouse: Warehouse | null = null

  private constructor(env: Place['env'], directory: string, opened: readonly AsyncDisposable[]) {
    this.env = env
    this.#directory = directory
    this.#opened = opened
  }

  /** @param service its token; none if a config file names accounts */
  static async open(backend: Backend, { baseUrl, token }: Pick<Sandbox, 'baseUrl'> & Partial<Sandbox>): Promise<Place> {
    const [warehouse, scratch] = [await backend.open(), await scratchDirectory()]
    const env = {
      ...warehouse.env,
      COLLAB_BASE_URL: baseUrl,
      ...(token !== undefined && { COLLAB_TOKEN: token }),
      COLLAB_RETRIES: String(MOST_PASSING),
    }
    return new Place({ ...env, COLLAB_LOG_LEVEL: 'warn' }, scratch.path, [warehouse, scratch])
  }

  extract(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return run('collab-extract', args, { ...options, env: this.env })
  }

  /** Whether other programs can use the warehouse, too. */
  get isOnServer(): boolean {
    return this.env['DATABASE_URL'] !== undefined
  }

  /** Runs statements as another program, if there can be one. */
  async script(sql: string): Promise<void> {
    if (this.env['DATABASE_URL'] !== undefined) await onServer(this.env['DATABASE_URL'], sql)
  }

  /** The number of projects that the dashboard on the warehouse shows, after all of its statements; `null`: no other program can use the warehouse. */
  async projectsOnDashboard(): Promise<number | null> {
    const url = this.env['DATABASE_URL']
    if (url === undefined) return null
    const [row] = (await warehouseDashboard(url)).get('Projects') ?? []
    return Number(row?.['projects'])
  }

  query(sql: string): Promise<readonly (readonly unknown[])[]> {
    return this.#with(async (warehouse) => (await warehouse.rows.query(sql)).rows)
  }

  /** What is stored, and how the runs since the last look read each scope. */
  seen(): Promise<Seen> {
    return this.#with(async (warehouse) => {
      const scopes = new Map<string, { run: unknown; status: string; code: string | null }>()
      const { rows } = await warehouse.rows.query(
        `SELECT r.run_id, s.pid, s.stream, s.status, s.error_code FROM collab.runs r LEFT JOIN collab.run_scopes s USING (run_id)
         ORDER BY r.started_at, r.run_id`,
      )
      const isNew = rows.filter(([run]) => !this.#runs.has(run))
      for (const [run, pid, stream, status, code] of isNew) {
        this.#runs.add(run)
        // the resumed run says how it read the scope
        if (status !== null && code !== 'RESUMED')
          scopes.set(`${pid} ${stream}`, { run, status: String(status), code: code === null ? null : String(code) })
      }
      const unread = await warehouse.rows.query('SELECT run_id, pid, stream, item_id FROM collab.unread_items')
      const ofNight = unread.rows.filter(([run, pid, stream]) => scopes.get(`${pid} ${stream}`)?.run === run)
      const live = (table: string) => `collab.${table} t WHERE deleted_at IS NULL`
      return {
        tables: await tablesOf(warehouse, live),
        scopes,
        unread: new Set(ofNight.map(([, ...item]) => item.join(' '))),
      }
    })
  }

  /** The state of earlier times, of each as `seen` would have shown it. */
  asOf(times: readonly Date[]): Promise<PlainTables[]> {
    return this.#with(async (warehouse) => {
      const states: PlainTables[] = []
      for (const time of times)
        states.push(await tablesOf(warehouse, (table) => `collab.${table}_as_of('${time.toISOString()}') t`))
      return states
    })
  }

  /** The files of a backup: on top of the earlier ones, or in a new directory. */
  async backup(formats: string, isFirst: boolean): Promise<Record<string, unknown>> {
    const out = join(this.#directory, isFirst ? `alone-${this.#backups++}` : 'backups')
    const args = ['backup', '--out', out, '--from', 'warehouse', '--format', formats, '--json']
    const { code, stderr } = await run('collab-export', args, { env: this.env })
    // partial where the token may not read a project
    if (code !== 0 && code !== 3) throw new Error(`the backup ended with ${code}: ${stderr}`)
    const { 'backup.json': manifest = '{}', ...files } = Object.fromEntries(
      withoutReading(await filesOf(join(out, await newestIn(out), 'data'))),
    )
    if (isFirst) await rm(out, { recursive: true })
    return { ...files, 'backup.json': JSON.parse(manifest, (name, value) => (OF_RUN.includes(name) ? null : value)) }
  }

  async #with<T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
    const { DATABASE_URL: databaseUrl, COLLAB_DATA_DIR: dataDir = '' } = this.env
    this.#warehouse ??= await openWarehouse({ ...(databaseUrl && { databaseUrl }), dataDir, schema: 'collab' })
    try {
      return await work(this.#warehouse)
    } finally {
      // the embedded warehouse belongs to one process at a time
      if (databaseUrl === undefined) await this.#close()
    }
  }

  async #close(): Promise<void> {
    await this.#warehouse?.close()
    this.#warehouse = null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
    for (const opened of this.#opened) await opened[Symbol.asyncDispose]()
  }
}

/** The name of the newest backup; `latest` may stay at one that covers more. */
async function newestIn(directory: string): Promise<string> {
  const names = await readdir(directory)
  return (
    names
      .filter((name) => /^\d{8}T/.test(name))
      .sort()
      .at(-1) ?? ''
  )
}

/** Keys of the backup manifest whose values depend on the run. */
const OF_RUN = ['run_id', 'created_at', 'started_at', 'finished_at', 'as_of', 'requests', 'bytes_read', 'retries']

/** Rows of all tables; `from` is the FROM clause of each, which names it `t`. */
async function tablesOf(warehouse: Warehouse, from: (table: string) => string): Promise<PlainTables> {
  // as text, because the warehouse reads JSON digit by digit
  const parts = TABLES.map((table) => `SELECT '${table}', to_jsonb(t)::text FROM ${from(table)}`)
  const { rows } = await warehouse.rows.query(parts.join(' UNION ALL '))
  const tables: Record<string, PlainRow[]> = Object.fromEntries(TABLES.map((table) => [table, []]))
  for (const [table, row] of rows) tables[String(table)]?.push(plain(JSON.parse(String(row))))
  return tables
}
