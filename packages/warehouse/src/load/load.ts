import { readMarks, refuseUnfinished, writeMarks } from '../admin/marks.ts'
import { requireSchema } from '../admin/version.ts'
import type { Driver } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import type { RunOptions } from '../runs/types.ts'
import { beginRun, reopenRun } from '../snapshot/begin-run.ts'
import type { Run, RunParts } from '../snapshot/run.ts'
import type { BeginRunOptions } from '../snapshot/run-row.ts'
import { TABLES } from '../tables/index.ts'
import { type KeptProject, keepProjects } from './kept.ts'
import { NOT_STATED } from './not-stated.ts'

/** Begins a run under the lock that the load holds. */
export type BeginUnderLock = (begin: (place: Place) => Promise<Run>) => Promise<Run>

type Place = Pick<RunParts, 'driver' | 'schema' | 'lock' | 'isHeld'>

export interface BackupsToLoad {
  /** Path of the backup, of the archive, or of the directory of backups. */
  readonly source: string
  /** Names of all backups, the oldest first. */
  readonly backups: readonly string[]
}

/** A run that stores a backup. Its time is that at which the data of the backup were read. */
export interface LoadedRunOptions extends Pick<BeginRunOptions, 'baseUrl' | 'toolVersion'> {
  readonly options: RunOptions
  readonly since: Date
}

/**
 * Loads backups into an empty schema, each as a run. Until `end`, the schema has a mark by which it is refused for every other purpose; a
 * load that broke off is continued by another one of the same source.
 */
export class Load {
  readonly #driver: Driver
  readonly #schema: SchemaNames
  readonly #beginUnderLock: BeginUnderLock
  /** Names of the backups that were not loaded when it began. */
  readonly missing: readonly string[]

  private constructor(driver: Driver, schema: SchemaNames, beginUnderLock: BeginUnderLock, missing: readonly string[]) {
    this.#driver = driver
    this.#schema = schema
    this.#beginUnderLock = beginUnderLock
    this.missing = missing
  }

  /** @throws WarehouseError `NOT_EMPTY`, or `UNFINISHED` if a load of another source, or a move, is not finished */
  static async begin(
    driver: Driver,
    schema: SchemaNames,
    { source, backups }: BackupsToLoad,
    beginUnderLock: BeginUnderLock,
  ): Promise<Load> {
    await requireSchema(driver, schema)
    const work = `load of ${source}`
    const marks = await readMarks(driver, schema)
    if (marks.unfinished === null) await requireEmpty(driver, schema)
    else if (marks.unfinished !== work) refuseUnfinished(marks, driver, schema)
    const loaded = await readLoaded(driver, schema)
    await writeMarks(driver, schema, { unfinished: work })
    const left = backups.filter((name) => !loaded.has(name))
    return new Load(driver, schema, beginUnderLock, left)
  }

  /** Begins the run of a backup, or reopens it. Its projects are stored again then, which changes nothing about those that were stored. */
  async run(backup: string, of: LoadedRunOptions): Promise<Run> {
    const { rows } = await this.#driver.query(
      `SELECT run_id, started_at FROM ${this.#schema.main}.runs WHERE status = 'running' AND options ->> 'backup' = $1`,
      [backup],
    )
    const [id, startedAt] = rows[0] ?? []
    if (id !== undefined) await this.#forgetBroken(String(id))
    return await this.#beginUnderLock((place) => {
      if (id !== undefined) return reopenRun(place, { id: String(id), startedAt: new Date(String(startedAt)) })
      return beginRun(place, { ...of, options: { ...of.options, backup }, parsesAll: true })
    })
  }

  /** Stores what runs found out about projects, in the run of a backup. */
  async keep(run: Run, projects: readonly KeptProject[]): Promise<void> {
    await keepProjects(this.#driver, this.#schema, run, projects)
    // a project that only the list of a team shows has no scope
    const ofTeams = projects.flatMap(({ pid, only_in_team: team }) => (team == null ? [] : storedId(pid)))
    await this.#driver.query(
      `DELETE FROM ${this.#schema.main}.run_scopes WHERE run_id = $1 AND error_code = '${NOT_STATED}' AND pid = ANY ($2::text[])`,
      [run.id, ofTeams],
    )
  }

  /** Live projects that are not among these. They count as projects of the list from here on, not of teams, so that they can be marked deleted. */
  async missingProjects(run: Run, held: ReadonlySet<string>): Promise<string[]> {
    const { rows } = await this.#driver.query(
      `SELECT pid FROM ${this.#schema.main}.projects WHERE deleted_at IS NULL AND only_in_team IS NOT NULL AND NOT pid = ANY ($1::text[])`,
      [[...held].map((pid) => storedId(pid))],
    )
    await keepProjects(
      this.#driver,
      this.#schema,
      run,
      rows.map(([pid]) => ({ pid: String(pid) })),
    )
    return await run.missingProjects(held)
  }

  /** What a process that was killed noted in the run log, and will be noted again. */
  async #forgetBroken(runId: string): Promise<void> {
    for (const table of ['run_scopes', 'losses', 'unread_items'])
      await this.#driver.query(`DELETE FROM ${this.#schema.main}.${table} WHERE run_id = $1`, [runId])
  }

  /** Removes the mark: the warehouse is as the backups say. */
  async end(): Promise<void> {
    await writeMarks(this.#driver, this.#schema, { unfinished: null })
  }
}

/** The backups that are in the warehouse. A run that broke off may have become `interrupted` as another one began. */
async function readLoaded(driver: Driver, { main }: SchemaNames): Promise<Set<string>> {
  const { rows } = await driver.query(
    `SELECT options ->> 'backup' FROM ${main}.runs WHERE options ->> 'backup' IS NOT NULL AND status IN ('succeeded', 'partial')`,
  )
  return new Set(rows.map(([backup]) => String(backup)))
}

async function requireEmpty(driver: Driver, schema: SchemaNames): Promise<void> {
  const tables = ['runs', ...TABLES.map(({ name }) => name)]
  const { rows } = await driver.query(
    `SELECT ${tables.map((name) => `EXISTS (SELECT FROM ${schema.main}.${quoted(name)})`).join(' OR ')}`,
  )
  if (rows[0]?.[0] !== true) return
  throw new WarehouseError(
    'NOT_EMPTY',
    `schema ${schema.name} in ${driver.location} is not empty, and backups are loaded into an empty one only: name another --schema, --data-dir or database`,
  )
}
