import { type BackupManifest, type ManifestFacts, readBackupManifest, readManifestFacts } from '@collab-etl/backups'
import { CliError, type Settings } from '@collab-etl/cli'
import { isWarehouseError, openWarehouse, TABLES, type Warehouse } from '@collab-etl/warehouse'
import { Finding } from './finding.ts'

type Tables = NonNullable<BackupManifest['tables']>

/** A backup with the hashes of its tables. */
export interface Stated {
  readonly manifest: BackupManifest
  readonly tables: Tables
  readonly facts: ManifestFacts
}

/** @throws Finding if an older version made it */
export async function readStated(bag: string): Promise<Stated> {
  const manifest = await readBackupManifest(bag)
  const facts = await readManifestFacts(bag)
  if (manifest?.tables === undefined || facts === null)
    throw new Finding('an older version made it: it does not state what its tables hold. Make a new backup')
  return { manifest, tables: manifest.tables, facts }
}

/**
 * Compares the warehouse, as it was when a backup was made, with what the backup states. It is only read.
 * @returns why there is nothing to compare with; `null`: they are the same
 * @throws Finding if they differ
 */
export async function compareLive(settings: Settings, stated: Stated, signal: AbortSignal): Promise<string | null> {
  if (!stated.facts.isOfWarehouse) return 'the backup was made from the service'
  const warehouse = await open(settings, signal)
  if (typeof warehouse === 'string') return warehouse
  try {
    const asOf = stateAt(stated)
    if ((await warehouse.log.lastFinishedRun(asOf)) === null) return 'the warehouse is younger than the backup'
    const { projects } = stated.facts.coverage
    const pids = projects && [...projects]
    const names = TABLES.map(({ name }) => name).filter((name) => stated.tables[name] !== undefined)
    const live = await warehouse.rows.hashes({ tables: names, pids, asOf })
    const differing = names.filter((name) => live[name]?.hash !== stated.tables[name]?.hash)
    if (differing.length === 0) return null
    const texts = differing.map((name) => `${name} (${live[name]?.rows} and ${stated.tables[name]?.rows} rows)`)
    const lacking = await projectsLacking(warehouse, stated, asOf)
    const missing = lacking.length === 0 ? '' : `it lacks ${lacking.slice(0, 3).join(', ')} of the projects; `
    throw new Finding(`${missing}the warehouse of ${asOf.toISOString()} and the backup differ in ${texts.join(', ')}`)
  } finally {
    await warehouse.close()
  }
}

/** The text says why there is none to compare with: an assistant may be reading it. @throws CliError if it cannot be opened */
async function open({ databaseUrl, dataDir, schema }: Settings, signal: AbortSignal): Promise<Warehouse | string> {
  const options = { databaseUrl: databaseUrl?.reveal(), dataDir, schema, signal, mustExist: true }
  return await openWarehouse(options).catch((error: unknown) => {
    if (isWarehouseError(error, 'NO_WAREHOUSE')) return 'there is no warehouse'
    if (isWarehouseError(error, 'LOCKED')) return error.message
    if (!isWarehouseError(error)) throw error
    throw new CliError(`the warehouse could not be compared: ${error.message}`, { cause: error })
  })
}

/** The time of the state that a backup holds: no run began between the newest that it holds and its begin. */
function stateAt({ manifest: { runs = [] }, facts: { coverage } }: Stated): Date {
  if (coverage.asOf !== null) return coverage.asOf
  const times = [coverage.begunAt, coverage.readAt, ...runs.map(({ started_at: at }) => new Date(at))]
  return new Date(Math.max(...times.map((time) => time?.getTime() ?? 0)))
}

/** Ids of projects that the warehouse had and the backup should. */
async function projectsLacking(warehouse: Warehouse, { manifest, facts }: Stated, asOf: Date): Promise<string[]> {
  const held = new Set(manifest.projects.map(({ pid }) => pid))
  const lacking: string[] = []
  for await (const { pid } of warehouse.rows.of('projects', { asOf, columns: ['pid'] })) {
    const isCovered = facts.coverage.projects?.has(String(pid)) ?? true
    if (isCovered && !held.has(String(pid))) lacking.push(String(pid))
  }
  return lacking
}
