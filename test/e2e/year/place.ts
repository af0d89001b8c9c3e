import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Ran, type RunOptions, run, scratchDirectory } from '@collab-etl/harness/commands'
import { type PlainRow, type PlainTables, TABLES } from '@collab-etl/harness/expected-rows'
import { type LocalPostgres, startLocalPostgres } from '@collab-etl/harness/local-postgres'
import { onServer } from '@collab-etl/harness/postgres'
import { findBinaries } from '@collab-etl/harness/postgres-binaries'
import { type Receiver, startReceiver } from '@collab-etl/harness/receiver'
import { asLines, plainTime, ROW_AS_JSON } from '@collab-etl/harness/warehouse-rows'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { stringify } from 'yaml'
import { SmallDisk } from '../../faults/machine/support/machine.ts'
import { beginOf, ZONE } from './calendar.ts'
import { KEEP } from './retention.ts'

const HARNESS = join(import.meta.dirname, '../../harness')
const SMALL = { projects: 2, tasks: 12, archived: 4, pages: 12, posts: 3, events: 3 }

/** How often the job tries in one night. */
const ATTEMPTS = 2

/** What is different in a night. */
export interface Conditions extends Pick<RunOptions, 'env' | 'onStart'> {
  /** Error of the machine's clock; that of the database server stays right. */
  readonly clockErrorMs?: number
  /** Programs in processes of their own, as a timer starts them. Default: in hosts. */
  readonly isReal?: boolean
}

/** Result of a command, the time of its end by the right clock, and the document that it printed. */
export interface Ended extends Ran {
  readonly endedAt: Date
  readonly document: Readonly<Record<string, unknown>> | null
}

interface Parts {
  readonly sandbox: Sandbox
  readonly server: LocalPostgres
  readonly disk: SmallDisk
  readonly receiver: Receiver
}

/** A service, a database server, a small disk for backups, and a receiver of messages, on one simulated clock. */
export class Place implements AsyncDisposable, Parts {
  readonly sandbox: Sandbox
  readonly server: LocalPostgres
  readonly disk: SmallDisk
  readonly receiver: Receiver
  /** Directory of the backups. */
  readonly out: string
  readonly #directory: string
  readonly #opened: AsyncDisposableStack
  readonly #clock: { aheadMs: number }

  private constructor(parts: Parts, directory: string, opened: AsyncDisposableStack, clock: { aheadMs: number }) {
    this.sandbox = parts.sandbox
    this.server = parts.server
    this.disk = parts.disk
    this.receiver = parts.receiver
    this.out = join(this.disk.path, 'backups')
    this.#directory = directory
    this.#opened = opened
    this.#clock = clock
  }

  static async open(seed: number): Promise<Place> {
    await using stack = new AsyncDisposableStack()
    const { path } = stack.use(await scratchDirectory())
    const disk = await SmallDisk.mount({ path, defer: (undo) => stack.defer(undo) }, 'size=96m')
    const binaries = await findBinaries()
    if (binaries === null) throw new Error('npm installed no Postgres for this platform')
    const server = await startLocalPostgres(binaries)
    stack.defer(() => server.stop())
    await onServer(server.url, SERVER_CLOCK)
    const clock = { aheadMs: 0 }
    const sandbox = await startSandbox({ ...SMALL, seed, now: () => Date.now() + clock.aheadMs })
    stack.defer(() => sandbox.close())
    const receiver = stack.use(await startReceiver())
    const place = new Place({ sandbox, server, disk, receiver }, path, stack.move(), clock)
    await mkdir(place.out)
    const nightly = {
      out: place.out,
      formats: ['markdown', 'csv'],
      keep: KEEP,
      ping: `${receiver.url}/ping`,
      notify: [{ url: `${receiver.url}/change`, when: 'change', as: 'json' }],
      attempts: ATTEMPTS,
      pause: '1s',
    }
    await writeFile(join(path, 'collab.yaml'), stringify({ base_url: sandbox.baseUrl, retries: 0, nightly }))
    return place
  }

  /** Sets the clock of the service and of the database server to the begin of a night. */
  async turnTo(night: number): Promise<void> {
    this.#clock.aheadMs = beginOf(night) - Date.now()
    await onServer(this.server.url, `ALTER DATABASE test SET year.ahead = '${this.#clock.aheadMs} milliseconds'`)
  }

  /** Runs a command of `collab-nightly` in the directory of its collab.yaml. */
  async nightly(args: readonly string[], { clockErrorMs = 0, isReal = false, ...of }: Conditions = {}): Promise<Ended> {
    const env = {
      TZ: ZONE,
      DATABASE_URL: this.server.url,
      COLLAB_TOKEN: this.sandbox.token,
      FAULT_CLOCK_SHIFT_MS: String(this.#clock.aheadMs + clockErrorMs),
      ...(isReal
        ? REAL
        : {
            TEST_NODE: join(HARNESS, 'step-in-host.mjs'),
            TEST_COMMAND_HOSTS: process.env['COLLAB_TEST_COMMAND_HOSTS'] ?? '',
          }),
      ...of.env,
    }
    const ran = await run('collab-nightly', [...args, '--json'], { ...of, cwd: this.#directory, env })
    const endedAt = new Date(Date.now() + this.#clock.aheadMs)
    return { ...ran, endedAt, document: ran.stdout === '' ? null : JSON.parse(ran.stdout) }
  }

  /** Names of the backups, oldest first, and of everything else beside them. */
  async backups(): Promise<{ readonly names: readonly string[]; readonly others: readonly string[] }> {
    const entries = (await readdir(this.out)).sort()
    const isBackup = (entry: string) => /^\d{8}T\d{6}Z$/.test(entry)
    return { names: entries.filter(isBackup), others: entries.filter((entry) => !isBackup(entry)) }
  }

  /** The rows that the warehouse shows for a time, as sorted lines. */
  async rowsAsOf(time: Date): Promise<Record<string, string[]>> {
    const sql = TABLES.filter((table) => table !== 'users')
      .map(
        (table) =>
          `SELECT '${table}' AS name, ${ROW_AS_JSON} AS row FROM collab.${table}_as_of('${time.toISOString()}') t`,
      )
      .join(' UNION ALL ')
    const env = { DATABASE_URL: this.server.url }
    const { code, stdout, stderr } = await run('collab-extract', ['query', sql, '--json', '--allow-superuser'], { env })
    if (code !== 0) throw new Error(`the query ended with ${code}: ${stderr}`)
    const { rows } = JSON.parse(stdout) as { rows: [string, PlainRow][] } // as selected above
    const tables: Record<string, PlainRow[]> = {}
    for (const [table, row] of rows) {
      tables[table] ??= []
      tables[table].push(Object.fromEntries(Object.entries(row).map(plainTime)))
    }
    return linesOf(tables)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync()
  }
}

/** Tables that have rows, as sorted lines. */
export function linesOf(tables: PlainTables): Record<string, string[]> {
  return Object.fromEntries(Object.entries(tables).map(([table, rows]) => [table, asLines(rows)]))
}

const REAL = { NODE_OPTIONS: `--import=${join(HARNESS, 'shifted-clock.mjs')}` }

/** The database has the simulated clock where a program asks it for the time. */
const SERVER_CLOCK = `
  ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO machine_clock;
  CREATE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    $$ SELECT machine_clock() + coalesce(current_setting('year.ahead', true), '0')::interval $$;`
