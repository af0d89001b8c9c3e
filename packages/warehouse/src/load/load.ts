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
import { type BackupToLoad, compareBackups, NOT_STATED } from './backups.ts'
import { type KeptProject, keepProjects } from './kept.ts'

/** Begins a run under the lock that the load holds. */
export type BeginUnderLock = (begin: (place: Place) => Promise<Run>) => Promise<Run>

type Place = Pick<RunParts, 'driver' | 'schema' | 'lock' | 'isHeld'>

export interface BackupsToLoad {
  /** Path of the backup, of the archive, or of the directory of backups. */
  readonly source: string
  /** Sorted by `compareBackups`. */
  readonly backups: readonly BackupToLoad[]
}

/** A run that stores a backup. Its time is that at which the data of the backup were read. */
export interface LoadedRunOptions extends Pick<BeginRunOptions, 'baseUrl' | 'toolVersion'> {
  readonly options: RunOptions
}

/**
 * Loads backups into an empty schema, each as a run. Until `end`, the schema has a mark by which it is refused for every other purpose; a
 * load that broke off is continued by another one of the same source.
 */
export class Load {
  readonly #driver: Driver
  readonly #schema: SchemaNames
  readonly #beginUnderLock: BeginUnderLock
  /** Names of the backups that an earlier load stored, wholly or in part, in the order of storing; some may have been removed since. */
  readonly begun: readonly string[]
  /** Names of the backups that are to be stored. */
  readonly missing: readonly string[]

  private constructor(
    driver: Driver,
    schema: SchemaNames,
    beginUnderLock: BeginUnderLock,
    { begun, missing }: Pick<Load, 'begun' | 'missing'>,
  ) {
    this.#driver = driver
    this.#schema = schema
    this.#beginUnderLock = beginUnderLock
    this.begun = begun
    this.missing = missing
  }

  /**
   * @throws WarehouseError `NOT_EMPTY`; `UNFINISHED` if a load of another source, or a move, is not finished; `BACKUPS` if this one cannot be
   * finished with these backups
   */
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
    const begun = await readBegun(driver, schema)
    const ended = new Set(begun.flatMap(({ name, isEnded }) => (isEnded ? name : [])))
    const missing = backups.filter(({ name }) => !ended.has(name))
    requireToFollow(begun.at(-1), backups, missing)
    await writeMarks(driver, schema, { unfinished: work })
    const names = (list: readonly BackupToLoad[]) => list.map(({ name }) => name)
    return new Load(driver, schema, beginUnderLock, { begun: names(begun), missing: names(missing) })
  }

  /** Begins the run of a backup, or reopens it. Its projects are stored again then, which changes nothing about those that were stored. */
  async run({ name, readAt }: BackupToLoad, of: LoadedRunOptions): Promise<Run> {
    const { rows } = await this.#driver.query(
      `SELECT run_id, started_at FROM ${this.#schema.main}.runs WHERE status = 'running' AND options ->> 'backup' = $1`,
      [name],
    )
    const [id, startedAt] = rows[0] ?? []
    if (id !== undefined) await this.#deleteBroken(String(id))
    return await this.#beginUnderLock((place) => {
      if (id !== undefined) return reopenRun(place, { id: String(id), startedAt: new Date(String(startedAt)) })
      // the time of the run may be later: no two runs have the same
      const options = { ...of.options, backup: name, read_at: readAt.toISOString() }
      return beginRun(place, { ...of, options, since: readAt, parsesAll: true })
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

  /** Deletes what a killed process noted in the run log; it is noted again. */
  async #deleteBroken(runId: string): Promise<void> {
    for (const table of ['run_scopes', 'losses', 'unread_items'])
      await this.#driver.query(`DELETE FROM ${this.#schema.main}.${table} WHERE run_id = $1`, [runId])
  }

  /** Removes the mark: the warehouse is as the backups say. */
  async end(): Promise<void> {
    await writeMarks(this.#driver, this.#schema, { unfinished: null })
  }
}

interface BegunBackup extends BackupToLoad {
  /** Whether all of it is stored. */
  readonly isEnded: boolean
}

/** The backups that runs stored, in the order in which they did. */
async function readBegun(driver: Driver, { main }: SchemaNames): Promise<BegunBackup[]> {
  const { rows } = await driver.query(
    `SELECT options ->> 'backup', options ->> 'read_at', status IN ('succeeded', 'partial') FROM ${main}.runs
     WHERE options ->> 'backup' IS NOT NULL ORDER BY started_at`,
  )
  return rows.map(([name, readAt, isEnded]) => {
    return { name: String(name), readAt: new Date(String(readAt)), isEnded: isEnded === true }
  })
}

/** Throws `BACKUPS` unless the missing backups complete or follow the last one that was begun. None of them may be older. */
function requireToFollow(
  last: BegunBackup | undefined,
  backups: readonly BackupToLoad[],
  missing: readonly BackupToLoad[],
): void {
  if (last === undefined) return
  const [first] = missing
  const advice = 'or load all into another --schema, --data-dir or database'
  if (first !== undefined && compareBackups(first, last) < 0) {
    throw new WarehouseError(
      'BACKUPS',
      `${first.name} is older than ${last.name}, which the interrupted load has begun to store; history is stored oldest first: move ${first.name} out of the directory and run load again, ${advice}`,
    )
  }
  if (backups.some(({ name }) => name === last.name) || (last.isEnded && first !== undefined)) return
  // the rest of it must be stored, or the tables compared with its hashes
  throw new WarehouseError(
    'BACKUPS',
    `${last.name}, which the interrupted load has not finished, is no longer there: put it back and run load again, ${advice}`,
  )
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
