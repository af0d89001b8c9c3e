import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ran, Started } from '@collab-etl/harness/commands'
import { expectedRows } from '@collab-etl/harness/expected-rows'
import { asLines } from '@collab-etl/harness/warehouse-rows'
import type { Sandbox, Sizes } from '@collab-etl/sandbox'
import pg from 'pg'
import { expect } from 'vitest'
import type { Fixture } from '../support/fixture.ts'
import { type Projects, projectsIn, publishedIn, storedAfterKill } from '../support/stored.ts'
import { World } from '../support/world.ts'
import { ask, serverForFaults } from './server.ts'

const SIZES = { projects: 4, barred: 0, tasks: 12, archived: 7, pages: 5, posts: 4, events: 5 }

/** Archives a task, deletes another, and changes something in every stream. */
const TURN = 12

interface DatabaseWorldOptions extends Partial<Sizes> {
  /** Database URL of a superuser. Default: the server of the tests. */
  readonly server?: string
  /** Options of `CREATE DATABASE`. */
  readonly database?: string
}

interface SnapshotOptions {
  /** Number of parallel requests and of parallel projects. */
  readonly concurrency?: number
  readonly args?: readonly string[]
  readonly onStart?: (command: Started) => void
  readonly env?: Readonly<Record<string, string>>
}

/**
 * A service, and a database with its own role and the fixture's password. Stored rows are compared with
 * the records of the service.
 */
export class DatabaseWorld extends World implements AsyncDisposable {
  /** Name of the role and of the database. */
  readonly name: string
  /** Database URL of the role. */
  readonly url: string
  /** Database URL of a superuser. */
  readonly adminUrl: string
  readonly #server: string
  /** Stored rows of each project before the tested run. */
  #old: Projects = new Map()
  #lastRun: string | undefined

  private constructor(fixture: Fixture, sandbox: Sandbox, { name, server }: { name: string; server: string }) {
    const admin = new URL(server)
    admin.pathname = `/${name}`
    const url = new URL(admin)
    url.username = name
    url.password = fixture.databasePassword
    super(fixture, sandbox, { databaseUrl: url.href, dataDir: join(fixture.path, 'data') })
    this.name = name
    this.url = url.href
    this.adminUrl = admin.href
    this.#server = server
  }

  static override async open(fixture: Fixture, options: DatabaseWorldOptions = {}): Promise<DatabaseWorld> {
    const { server = serverForFaults(), database = '', ...sizes } = options
    const name = `f_${randomUUID().replaceAll('-', '')}`
    await ask(server, `CREATE ROLE ${name} LOGIN PASSWORD '${fixture.databasePassword}'`)
    await ask(server, `CREATE DATABASE ${name} ${database}`)
    await ask(server, `GRANT CREATE ON DATABASE ${name} TO ${name}`)
    const sandbox = await fixture.startSandbox({ seed: 5, ...SIZES, ...sizes })
    const world = new DatabaseWorld(fixture, sandbox, { name, server })
    await world.writePosts()
    return world
  }

  /** The same after a first snapshot, with a service that has changed since in every stream of every project. */
  static async filled(fixture: Fixture, options: DatabaseWorldOptions = {}): Promise<DatabaseWorld> {
    const world = await DatabaseWorld.open(fixture, options)
    await world.fillAndChange()
    return world
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await ask(this.#server, `DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`)
    await ask(this.#server, `DROP ROLE ${this.name}`)
  }

  /** Runs statements in the database as a superuser; returns the rows of the last one. */
  admin(sql: string): Promise<Record<string, unknown>[]> {
    return ask(this.adminUrl, sql)
  }

  /** Database URL of the role with a setting for its sessions. */
  urlWith(setting: string): string {
    const url = new URL(this.url)
    url.search = `options=${encodeURIComponent(`-c ${setting}`)}` // psql does not read + as a space
    return url.href
  }

  /** Runs a snapshot with the database URL of the role, or another one. */
  snapshotAt(url = this.url, { concurrency = 2, args = [], env = {}, ...options }: SnapshotOptions = {}): Promise<Ran> {
    const words = ['snapshot', '--concurrency', String(concurrency), '--posts-file', this.postsFile, ...args]
    return this.extract(words, { env: { DATABASE_URL: url, ...env }, ...options })
  }

  /** Calls a function while the service delays the n-th request of an operation. `done` rejects if it failed. */
  atRequest(
    { operation, n }: { readonly operation: string; readonly n: number },
    work: () => Promise<void>,
  ): { done(): Promise<void> } {
    let count = 0
    let done: () => Promise<void> = () => Promise.reject(new Error(`there was no ${operation} number ${n}`))
    const stop = this.sandbox.beforeRequest(async (request) => {
      if (request.operation !== operation || ++count !== n) return
      stop()
      const worked = work()
      done = () => worked
      await worked
    })
    return { done: () => done() }
  }

  /** Waits until the role has such sessions, or has none. */
  async untilActivity(condition: string, isThere = true): Promise<void> {
    const sql = `SELECT FROM pg_stat_activity WHERE usename = '${this.name}' AND ${condition}`
    while ((await this.admin(sql)).length > 0 !== isThere) await sleep(20)
  }

  /** Runs a statement in a transaction that stays open until the session ends. */
  async hold(sql: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.adminUrl })
    // it ends with the server
    client.on('error', () => {})
    await client.connect()
    await client.query(`BEGIN; ${sql}`)
    return client
  }

  /** Waits until the database has such locks, or has none. */
  async untilLocked(condition: string, isThere = true): Promise<void> {
    const sql = `SELECT FROM pg_locks WHERE ${condition} AND database = (SELECT oid FROM pg_database WHERE datname = '${this.name}')`
    while ((await this.admin(sql)).length > 0 !== isThere) await sleep(20)
  }

  /** Runs a first snapshot. */
  async fill(): Promise<Projects> {
    const { code, stderr } = await this.snapshotAt()
    expect(code, stderr).toBe(0)
    const { projects, runs } = await this.#read()
    expect(projects).toEqual(this.projects())
    this.#old = projects
    this.#lastRun = runs.at(-1)?.run_id
    return projects
  }

  /** Runs a first snapshot, then changes something in every stream of every project. */
  async fillAndChange(): Promise<void> {
    const projects = await this.fill()
    this.change(TURN)
    expect(this.projects()).not.toEqual(projects)
  }

  /**
   * Fails unless every project is entirely old or entirely new, and the new ones are those in the run log.
   * Returns the number of new projects and the status of the run, `null` if it had not begun.
   */
  async expectOldOrNew(): Promise<{ published: number; status: string | null }> {
    const { projects, runs, ...stored } = await this.#read()
    const last = runs.at(-1)
    const hasBegun = last !== undefined && last.run_id !== this.#lastRun
    const published = hasBegun ? stored.published : new Set<string>()
    const truth = this.projects()
    const wrong = this.sandbox.pids.filter(
      (pid) => projects.get(pid) !== (published.has(pid) ? truth : this.#old).get(pid),
    )
    expect(wrong, `projects that are neither old nor new, ${published.size} published`).toEqual([])
    await this.fixture.lookAtDatabase(this.adminUrl)
    return { published: published.size, status: hasBegun ? last.status : null }
  }

  /** Runs a normal snapshot: it must succeed, store all records of the service, and leave no staged rows. */
  async expectTruthFromNextRun(url = this.url): Promise<void> {
    const ran = await this.snapshotAt(url)
    expect(ran.code, ran.stderr).toBe(0)
    await this.expectTruth()
  }

  /** Fails unless all records are stored, no run is open, and no rows are staged or locked. */
  async expectTruth(): Promise<void> {
    const { projects, runs } = await this.#read()
    expect(projects).toEqual(this.projects())
    expect(runs.at(-1)).toMatchObject({ status: 'succeeded' })
    expect(runs.filter(({ status }) => status === 'running')).toEqual([])
    await this.#expectUsers()
    expect(await this.#staged(), 'tables in which something is staged').toEqual([])
    // ignore the server's background workers
    const locks = `SELECT locktype FROM pg_locks JOIN pg_stat_activity a USING (pid)
      WHERE pid <> pg_backend_pid() AND a.backend_type = 'client backend' AND a.datname = '${this.name}'`
    expect(await this.admin(locks)).toEqual([])
    await this.fixture.lookAtDatabase(this.adminUrl)
  }

  async #read() {
    const stored = await storedAfterKill(this.adminUrl)
    return { runs: stored.runs, projects: projectsIn(stored.tables), published: publishedIn(stored) }
  }

  /** Users are never deleted, also if no record contains them any more. */
  async #expectUsers(): Promise<void> {
    const { users = [] } = expectedRows(this.truths(), this.sandbox.store.personalWebhooks)
    const rows = await this.admin(`SELECT to_jsonb(u) - '{valid_from,deleted_at}'::text[] AS row FROM collab.users u`)
    const stored = rows.map(({ row }) => row as Record<string, unknown>) // as selected
    expect(asLines(stored)).toEqual(expect.arrayContaining(asLines(users)))
  }

  async #staged(): Promise<string[]> {
    const tables = await this.admin(`SELECT tablename FROM pg_tables WHERE schemaname = 'collab_stage'`)
    // the users of a run are removed when the next run begins, and the bytes of stored records are kept for it; the schedule belongs to the service
    const kept = ['users_seen', 'received', 'schedule']
    const names = tables.map(({ tablename }) => String(tablename)).filter((name) => !kept.includes(name))
    const parts = names.map((name) => `(SELECT '${name}' AS name FROM collab_stage."${name}" LIMIT 1)`)
    const used = parts.length === 0 ? [] : await this.admin(parts.join(' UNION ALL '))
    return used.map(({ name }) => String(name))
  }
}
