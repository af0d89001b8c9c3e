import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ran, Started } from '@collab-etl/harness/commands'
import { expectedRows } from '@collab-etl/harness/expected-rows'
import { postsCsv } from '@collab-etl/harness/posts-csv'
import { asLines } from '@collab-etl/harness/warehouse-rows'
import type { ProjectTruth, Sandbox, Sizes } from '@collab-etl/sandbox'
import pg from 'pg'
import { expect } from 'vitest'
import { changeProject } from '../support/changes.ts'
import type { Fixture } from '../support/fixture.ts'
import { readStored, type Stored, textsOf } from '../support/stored-projects.ts'
import { ask, serverForFaults } from './server.ts'

const SIZES = { projects: 4, barred: 0, tasks: 12, archived: 7, pages: 5, posts: 4, events: 5 }

/** Archives a task, takes another away, and changes something in every stream. */
const TURN = 12

export interface WorldOptions {
  /** A superuser's address of the server; the tests' own by default. */
  readonly server?: string
  /** What follows `CREATE DATABASE name`. */
  readonly database?: string
  readonly sizes?: Partial<Sizes>
}

interface SnapshotOptions {
  /** Requests, and projects, under way at once. */
  readonly concurrency?: number
  readonly args?: readonly string[]
  readonly onStart?: (command: Started) => void
}

/**
 * A service, and a database that belongs to a role of its own with the fixture's password. What is stored is held against
 * what the service holds, row by row.
 */
export class World implements AsyncDisposable {
  readonly fixture: Fixture
  readonly sandbox: Sandbox
  /** The role, and the database of the same name. */
  readonly name: string
  /** Address of the database, as the role. */
  readonly url: string
  /** As a superuser. */
  readonly adminUrl: string
  readonly #server: string
  readonly #postsFile: string
  /** What each project was stored as, before the run that is looked at. */
  #old: ReadonlyMap<string, string> = new Map()
  #lastRun: string | undefined

  private constructor(of: Pick<World, 'fixture' | 'sandbox' | 'name'>, server: string) {
    this.fixture = of.fixture
    this.sandbox = of.sandbox
    this.name = of.name
    this.#server = server
    this.#postsFile = join(of.fixture.path, 'posts.csv')
    const admin = new URL(server)
    admin.pathname = `/${of.name}`
    this.adminUrl = admin.href
    const url = new URL(admin)
    url.username = of.name
    url.password = of.fixture.databasePassword
    this.url = url.href
  }

  static async open(fixture: Fixture, { server, database = '', sizes = {} }: WorldOptions = {}): Promise<World> {
    const on = server ?? serverForFaults()
    const name = `f_${randomUUID().replaceAll('-', '')}`
    await ask(on, `CREATE ROLE ${name} LOGIN PASSWORD '${fixture.databasePassword}'`)
    await ask(on, `CREATE DATABASE ${name} ${database}`)
    await ask(on, `GRANT CREATE ON DATABASE ${name} TO ${name}`)
    const sandbox = await fixture.startSandbox({ seed: 5, ...SIZES, ...sizes })
    const world = new World({ fixture, sandbox, name }, on)
    await writeFile(world.#postsFile, postsCsv(world.#truths()))
    return world
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await ask(this.#server, `DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`)
    await ask(this.#server, `DROP ROLE ${this.name}`)
  }

  /** Runs statements in the database as a superuser; gives the rows of the last. */
  admin(sql: string): Promise<Record<string, unknown>[]> {
    return ask(this.adminUrl, sql)
  }

  /** The role's address, with a setting that holds for its sessions. */
  urlWith(setting: string): string {
    const url = new URL(this.url)
    url.searchParams.set('options', `-c ${setting}`)
    return url.href
  }

  /** Runs a snapshot as somebody with the role's address would; by way of another address if one is given. */
  snapshot(url = this.url, { concurrency = 2, args = [], onStart }: SnapshotOptions = {}): Promise<Ran> {
    return this.fixture.run(
      'collab-extract',
      ['snapshot', '--concurrency', String(concurrency), '--posts-file', this.#postsFile, ...args],
      {
        env: { COLLAB_BASE_URL: this.sandbox.baseUrl, DATABASE_URL: url },
        ...(onStart && { onStart }),
      },
    )
  }

  /** Does something while the service keeps the n-th request of an operation waiting. `done` fails where that failed. */
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

  /** Waits until the role has such sessions, or until it has none. */
  async untilActivity(condition: string, isThere = true): Promise<void> {
    const sql = `SELECT FROM pg_stat_activity WHERE usename = '${this.name}' AND ${condition}`
    while ((await this.admin(sql)).length > 0 !== isThere) await sleep(20)
  }

  /** Runs a statement in a transaction that stays open until the session is ended. */
  async hold(sql: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.adminUrl })
    // a server that goes takes it along
    client.on('error', () => {})
    await client.connect()
    await client.query(`BEGIN; ${sql}`)
    return client
  }

  /** Waits until there are such locks in the database, or until there are none. */
  async untilLocked(condition: string, isThere = true): Promise<void> {
    const sql = `SELECT FROM pg_locks WHERE ${condition} AND database = (SELECT oid FROM pg_database WHERE datname = '${this.name}')`
    while ((await this.admin(sql)).length > 0 !== isThere) await sleep(20)
  }

  /** Loads all there is. */
  async fill(): Promise<ReadonlyMap<string, string>> {
    const { code, stderr } = await this.snapshot()
    expect([code, stderr]).toEqual([0, expect.anything()])
    const { projects, runs } = await this.#read()
    expect(projects).toEqual(this.#truth())
    this.#old = projects
    this.#lastRun = runs.at(-1)?.run_id
    return projects
  }

  /** Loads all there is, then changes something in every stream of every project. */
  async fillAndChange(): Promise<void> {
    const projects = await this.fill()
    for (const pid of this.sandbox.pids) changeProject(this.sandbox, pid, TURN)
    expect(this.#truth()).not.toEqual(projects)
  }

  /**
   * Fails unless every project is wholly as it was before or wholly as it is now, and those that are new are those that the
   * ledger names. Tells how many are new, and how the run ended by the ledger; `null` if it had not begun.
   */
  async expectOldOrNew(): Promise<{ published: number; status: string | null }> {
    const { projects, runs, ...stored } = await this.#read()
    const last = runs.at(-1)
    const hasBegun = last !== undefined && last.run_id !== this.#lastRun
    const published = hasBegun ? stored.published : new Set<string>()
    const truth = this.#truth()
    const wrong = this.sandbox.pids.filter(
      (pid) => projects.get(pid) !== (published.has(pid) ? truth : this.#old).get(pid),
    )
    expect(wrong, `projects that are neither old nor new, ${published.size} published`).toEqual([])
    await this.fixture.lookAtDatabase(this.adminUrl)
    return { published: published.size, status: hasBegun ? last.status : null }
  }

  /** Runs an ordinary snapshot: it must end well, store what the service holds, and leave nothing behind. */
  async expectTruthFromNextRun(url = this.url): Promise<void> {
    const ran = await this.snapshot(url)
    expect([ran.code, ran.stderr]).toEqual([0, expect.anything()])
    await this.expectTruth()
  }

  /** Fails unless all is stored as the service holds it, no run is open, and nothing is staged or locked. */
  async expectTruth(): Promise<void> {
    const { projects, runs } = await this.#read()
    expect(projects).toEqual(this.#truth())
    expect(runs.at(-1)).toMatchObject({ status: 'succeeded' })
    expect(runs.filter(({ status }) => status === 'running')).toEqual([])
    await this.#expectUsers()
    expect(await this.#staged(), 'tables in which something is staged').toEqual([])
    // the server's own workers come and go
    const locks = `SELECT locktype FROM pg_locks JOIN pg_stat_activity a USING (pid)
      WHERE pid <> pg_backend_pid() AND a.backend_type = 'client backend' AND a.datname = '${this.name}'`
    expect(await this.admin(locks)).toEqual([])
    await this.fixture.lookAtDatabase(this.adminUrl)
  }

  #read(): Promise<Stored> {
    return readStored(this.adminUrl)
  }

  #truths(): ProjectTruth[] {
    return this.sandbox.pids.map((pid) => this.sandbox.store.truth(pid))
  }

  #truth(): ReadonlyMap<string, string> {
    return textsOf(this.#truths())
  }

  /** Users are never deleted: those of whom nothing is left stay. */
  async #expectUsers(): Promise<void> {
    const { users = [] } = expectedRows(this.#truths(), this.sandbox.store.personalWebhooks)
    const rows = await this.admin(`SELECT to_jsonb(u) - '{valid_from,deleted_at}'::text[] AS row FROM collab.users u`)
    const stored = rows.map(({ row }) => row as Record<string, unknown>) // as the statement makes it
    expect(asLines(stored)).toEqual(expect.arrayContaining(asLines(users)))
  }

  async #staged(): Promise<string[]> {
    const tables = await this.admin(`SELECT tablename FROM pg_tables WHERE schemaname = 'collab_stage'`)
    // what was seen of users is removed when the next run begins
    const names = tables.map(({ tablename }) => String(tablename)).filter((name) => name !== 'users_seen')
    const parts = names.map((name) => `(SELECT '${name}' AS name FROM collab_stage."${name}" LIMIT 1)`)
    const used = parts.length === 0 ? [] : await this.admin(parts.join(' UNION ALL '))
    return used.map(({ name }) => String(name))
  }
}
