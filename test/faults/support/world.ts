import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ran, type RunOptions, run } from '@collab-etl/harness/commands'
import { expectedRows } from '@collab-etl/harness/expected-rows'
import { postsCsv } from '@collab-etl/harness/posts-csv'
import { asLines } from '@collab-etl/harness/warehouse-rows'
import { type ProjectTruth, type Sandbox, type SandboxOptions, startSandbox } from '@collab-etl/sandbox'
import { afterAll, expect } from 'vitest'
import { changeProject } from './changes.ts'
import type { Fixture } from './fixture.ts'
import { type Projects, projectsIn, projectsOf, type Stored } from './stored.ts'
import { emptyWarehouse, rowsIn, settingsOf, storedIn, type WarehousePlace } from './warehouse.ts'

/** Small sizes with every kind of record. */
const SIZES: SandboxOptions = { seed: 7, projects: 4, tasks: 24, archived: 24, pages: 12, posts: 8, events: 8 }

/** Commands must not wait long for a stopped service. */
const RETRIES = '1'

/** JSON lines contain the service's records, to compare with them. */
const FORMATS = ['--format', 'markdown,csv,jsonl']

interface WorldOptions extends SandboxOptions {
  /** The warehouse already contains a snapshot of a service of the default sizes. */
  readonly filled?: boolean
  readonly dataDir?: string
}

/** A small service, and the settings to read it into a warehouse. */
export class World {
  readonly fixture: Fixture
  readonly sandbox: Sandbox
  readonly place: WarehousePlace
  /** All posts of the service, which cannot list them. */
  readonly postsFile: string
  readonly env: Readonly<Record<string, string>>

  protected constructor(fixture: Fixture, sandbox: Sandbox, place: WarehousePlace) {
    this.fixture = fixture
    this.sandbox = sandbox
    this.place = place
    this.postsFile = join(fixture.path, 'posts.csv')
    this.env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_RETRIES: RETRIES, ...settingsOf(place) }
  }

  /** With an embedded warehouse. */
  static async open(fixture: Fixture, options: WorldOptions = {}): Promise<World> {
    const { filled = false, dataDir = join(fixture.path, 'data'), ...service } = options
    if (filled) await cp(await filledWarehouse(), dataDir, { recursive: true })
    return await World.#at(fixture, { dataDir }, service)
  }

  /** With an empty warehouse on Postgres, where there is a server. */
  static async onServer(fixture: Fixture, service: SandboxOptions = {}): Promise<World> {
    const dataDir = await mkdtemp(join(fixture.path, 'data-'))
    return await World.#at(fixture, await emptyWarehouse(fixture, dataDir), service)
  }

  static async #at(fixture: Fixture, place: WarehousePlace, service: SandboxOptions): Promise<World> {
    const sizes = service.store === undefined ? SIZES : {}
    const world = new World(fixture, await fixture.startSandbox({ ...sizes, ...service }), place)
    await world.writePosts()
    return world
  }

  /** Writes the posts that the service has now. */
  writePosts(): Promise<void> {
    return writeFile(this.postsFile, postsCsv(this.truths()))
  }

  /** Of the embedded warehouse. */
  get dataDir(): string {
    return this.place.dataDir
  }

  truths(): ProjectTruth[] {
    return this.sandbox.pids.map((pid) => this.sandbox.store.truth(pid))
  }

  /** All rows of each project, as in the service now. */
  projects(): Projects {
    return projectsOf(this.truths())
  }

  /** Changes every stream of every project. */
  change(turn: number): void {
    for (const pid of this.sandbox.pids) changeProject(this.sandbox, pid, turn)
  }

  extract(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.fixture.run('collab-extract', args, { ...options, env: { ...this.env, ...options.env } })
  }

  export(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.fixture.run('collab-export', args, { ...options, env: { ...this.env, ...options.env } })
  }

  snapshot(args: readonly string[] = [], options: RunOptions = {}): Promise<Ran> {
    // The sandbox that filled the warehouse used another port.
    const all = ['snapshot', '--posts-file', this.postsFile, '--allow-shrink', '--rebind-service', ...args]
    return this.extract(all, options)
  }

  backup(out: string, args: readonly string[] = [], options: RunOptions = {}): Promise<Ran> {
    const all = ['backup', '--out', out, '--from', 'api', '--posts-file', this.postsFile, ...FORMATS, ...args]
    return this.export(all, options)
  }

  /** Result of a query in the warehouse. */
  query(sql: string): Promise<unknown[][]> {
    return rowsIn(this.place, sql)
  }

  stored(): Promise<Stored> {
    return storedIn(this.place)
  }

  /** Expects that the warehouse equals the service, row for row. */
  async expectWhole(): Promise<void> {
    const expected = expectedRows(this.truths(), this.sandbox.store.personalWebhooks)
    const { tables } = await this.stored()
    for (const [table, rows] of Object.entries(expected)) {
      expect([table, asLines(tables[table] ?? [])]).toEqual([table, asLines(rows)])
    }
  }

  /** Expects that each stored project equals one of these states. Returns the number of projects in each state. */
  async expectEachAsIn(...states: readonly Projects[]): Promise<number[]> {
    const stored = await this.#storedProjects()
    const where = [...stored].map(([pid, text]) => [pid, states.findIndex((state) => state.get(pid) === text)] as const)
    expect(
      where.filter(([, state]) => state === -1).map(([pid]) => pid),
      'projects that are neither',
    ).toEqual([])
    return states.map((_, index) => where.filter(([, state]) => state === index).length)
  }

  /** Before the database and its schema exist, nothing is stored. */
  async #storedProjects(): Promise<Projects> {
    if (!existsSync(join(this.dataDir, 'warehouse'))) return new Map()
    const [[schemas] = []] = await this.query(`SELECT count(*)::int FROM pg_namespace WHERE nspname = 'collab'`)
    return schemas === 0 ? new Map() : projectsIn((await this.stored()).tables)
  }
}

/** Created once for all faults of a file, because it takes seconds. */
let template: Promise<string> | undefined

afterAll(async () => {
  if (template !== undefined) await rm(join(await template, '..'), { recursive: true, force: true })
})

function filledWarehouse(): Promise<string> {
  template ??= fillWarehouse()
  return template
}

async function fillWarehouse(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'collab-filled-'))
  const sandbox = await startSandbox(SIZES)
  try {
    const truths = sandbox.pids.map((pid) => sandbox.store.truth(pid))
    await writeFile(join(path, 'posts.csv'), postsCsv(truths))
    const env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token, COLLAB_DATA_DIR: join(path, 'data') }
    const { code, stderr } = await run('collab-extract', ['snapshot', '--posts-file', join(path, 'posts.csv')], { env })
    if (code !== 0) throw new Error(`no warehouse could be filled: ${stderr}`)
    return join(path, 'data')
  } finally {
    await sandbox.close()
  }
}
