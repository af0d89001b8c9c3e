import { requireSchema } from '../admin/version.ts'
import { Rereads, readRereads } from '../runs/rereads.ts'
import { requireSameService } from '../runs/service.ts'
import { Checkpoints } from '../staging/checkpoints.ts'
import { ReceivedTable } from '../staging/project-bytes.ts'
import { StagingSlots } from '../staging/slots.ts'
import { Run, type RunParts } from './run.ts'
import { type BeginRunOptions, insertRun } from './run-row.ts'

/** Where a run is begun, and its lock. */
type Place = Pick<RunParts, 'driver' | 'schema' | 'lock' | 'isHeld'>

/** Opens a run in the run log. Errors: see `Runs.begin`. */
export async function beginRun(place: Place, of: BeginRunOptions): Promise<Run> {
  const { driver, schema, lock } = place
  await requireSchema(driver, schema)
  if (of.rebinds !== true) await requireSameService(driver, schema, of)
  const slots = await StagingSlots.open(driver, schema)
  const rereads = new Rereads(of.full ?? false, await readRereads(driver, schema))
  const received = of.parsesAll === true ? null : await ReceivedTable.open(driver, schema, of)
  // until the run is in the log, the pages and users that the last run left may still be resumed
  const run = await insertRun(driver, schema, of)
  const pages = await Checkpoints.open(driver, schema, of.resumes ?? false)
  await lock.announceRun() // now: earlier runs that a killed process left are `interrupted`
  return new Run(run, { ...place, slots, pages, rereads, received })
}

/** Reopens a run whose projects workers read: this process parses no records. */
export async function reopenRun(place: Place, run: { id: string; startedAt: Date }): Promise<Run> {
  const { driver, schema, lock } = place
  const slots = await StagingSlots.open(driver, schema)
  const pages = await Checkpoints.open(driver, schema, true)
  await lock.announceRun()
  return new Run(run, { ...place, slots, pages, rereads: new Rereads(false, []), received: null })
}
