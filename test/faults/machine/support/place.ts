import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ran, type RunOptions, run } from '@collab-etl/harness/commands'
import { expectedRows } from '@collab-etl/harness/expected-rows'
import { postsCsv } from '@collab-etl/harness/posts-csv'
import { asLines, rowsBy } from '@collab-etl/harness/warehouse-rows'
import { type ProjectTruth, type Sandbox, type SandboxOptions, startSandbox } from '@collab-etl/sandbox'
import { openWarehouse } from '@collab-etl/warehouse'
import { afterAll, expect } from 'vitest'
import { changeProject } from '../../support/changes.ts'
import type { Fixture } from '../../support/fixture.ts'
import { textOf, textsOf } from '../../support/stored-projects.ts'

/** Small sizes with every kind of record. */
const WORLD: SandboxOptions = { seed: 7, projects: 4, tasks: 24, archived: 24, pages: 12, posts: 8, events: 8 }

/** Commands must not wait long for a stopped service. */
const RETRIES = '1'

/** A small service, and the settings to read it into an embedded warehouse. */
export class Place {
  readonly fixture: Fixture
  readonly sandbox: Sandbox
  /** Accessible only to its owner. */
  readonly dataDir: string
  /** All posts of the service, which cannot list them. */
  readonly postsFile: string
  readonly env: Readonly<Record<string, string>>

  private constructor(fixture: Fixture, sandbox: Sandbox, dataDir: string) {
    this.fixture = fixture
    this.sandbox = sandbox
    this.dataDir = dataDir
    this.postsFile = join(fixture.path, 'posts.csv')
    this.env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_DATA_DIR: dataDir, COLLAB_RETRIES: RETRIES }
  }

  /** With `filled`, the warehouse already contains a snapshot, `before()`. */
  static async open(
    fixture: Fixture,
    { filled = false, dataDir = join(fixture.path, 'data'), ...world }: SandboxOptions & PlaceOptions = {},
  ): Promise<Place> {
    const place = new Place(fixture, await fixture.startSandbox({ ...WORLD, ...world }), dataDir)
    await writeFile(place.postsFile, postsCsv(place.truths()))
    if (filled) await cp(await filledWarehouse(), dataDir, { recursive: true })
    return place
  }

  truths(): ProjectTruth[] {
    return this.sandbox.pids.map((pid) => this.sandbox.store.truth(pid))
  }

  /** All rows of each project, as in the service now. */
  projects(): Projects {
    return textsOf(this.truths())
  }

  /** Changes every stream of every project. */
  change(turn: number): void {
    for (const pid of this.sandbox.pids) changeProject(this.sandbox, pid, turn)
  }

  snapshot(args: readonly string[] = [], options: RunOptions = {}): Promise<Ran> {
    // The sandbox that filled the warehouse used another port.
    const all = ['snapshot', '--posts-file', this.postsFile, '--allow-shrink', '--rebind-service', ...args]
    return this.fixture.run('collab-extract', all, { ...options, env: { ...this.env, ...options.env } })
  }

  backup(out: string, args: readonly string[] = [], options: RunOptions = {}): Promise<Ran> {
    const all = ['backup', '--out', out, '--from', 'api', '--posts-file', this.postsFile, ...FORMATS, ...args]
    return this.fixture.run('collab-export', all, { ...options, env: { ...this.env, ...options.env } })
  }

  /** Result of a query in the warehouse. */
  async query(sql: string): Promise<unknown[][]> {
    const warehouse = await openWarehouse({ dataDir: this.dataDir, schema: 'collab' })
    try {
      return (await warehouse.rows.query(sql)).rows
    } finally {
      await warehouse.close()
    }
  }

  /** Expects that the warehouse equals the service, row for row. */
  async expectWhole(): Promise<void> {
    const expected = expectedRows(this.truths(), this.sandbox.store.personalWebhooks)
    const stored = await rowsBy((sql) => this.query(sql), Object.keys(expected))
    for (const [table, rows] of Object.entries(expected)) {
      expect([table, asLines(stored[table] ?? [])]).toEqual([table, asLines(rows)])
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
    if (schemas === 0) return new Map()
    const tables = Object.keys(expectedRows(this.truths(), []))
    const rows = await rowsBy((sql) => this.query(sql), tables)
    const pids = new Set(Object.values(rows).flatMap((of) => of.map((row) => String(row['pid'] ?? ''))))
    pids.delete('')
    const ofProject = (pid: string) =>
      Object.fromEntries(Object.entries(rows).map(([table, all]) => [table, all.filter((row) => row['pid'] === pid)]))
    return new Map([...pids].map((pid) => [pid, textOf(ofProject(pid))]))
  }
}

interface PlaceOptions {
  readonly filled?: boolean
  readonly dataDir?: string
}

/** All rows of each project, as one text. */
export type Projects = ReadonlyMap<string, string>

/** JSON lines contain the service's records, to compare with them. */
const FORMATS = ['--format', 'markdown,csv,jsonl']

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
  const sandbox = await startSandbox(WORLD)
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
