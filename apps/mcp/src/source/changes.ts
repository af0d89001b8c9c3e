import type { Change, ChangesOptions, Slice, Warehouse } from '@collab-etl/warehouse'
import { ToolError } from '../errors.ts'
import type { ChangesRequest, FoundChanges } from './answers.ts'

/** Ends the reading once there are enough. */
class Enough extends Error {}

/**
 * A part of the changes since a time or run; by default those of the last finished run, and of runs that failed before it.
 * @throws ToolError if there is no such run
 */
export async function readChanges(
  warehouse: Warehouse,
  since: ChangesRequest['since'],
  options: ChangesOptions,
  { offset, limit }: Slice,
): Promise<FoundChanges> {
  await warehouse.lookup() // the version of the schema
  const from =
    since instanceof Date
      ? since
      : since === undefined
        ? await beforeLast(warehouse)
        : await startOf(warehouse, since.runId)
  const found: Change[] = []
  let [passed, leftOut]: [number, string | null] = [0, null]
  const receive = async (changes: readonly Change[]) => {
    const kept = changes.slice(Math.max(0, offset - passed))
    passed += changes.length
    found.push(...kept.slice(0, limit + 1 - found.length))
    if (found.length > limit) throw new Enough()
  }
  try {
    const read = await warehouse.rows.changes({ ...options, ...(from !== null && { since: from }) }, receive)
    leftOut = read.leftOut
  } catch (error) {
    if (!(error instanceof Enough)) throw error
  }
  return { items: found.slice(0, limit), hasMore: found.length > limit, since: from, leftOut }
}

/** `null`: there is no earlier run. */
async function beforeLast(warehouse: Warehouse): Promise<Date | null> {
  const last = await warehouse.log.lastFinishedRun()
  const before = last && (await warehouse.log.lastFinishedRun(new Date(Date.parse(last.started_at) - 1)))
  return before && new Date(before.started_at)
}

async function startOf(warehouse: Warehouse, runId: string): Promise<Date> {
  const found = await warehouse.log.run(runId)
  if (found === null) throw new ToolError('no run has this id: run_status lists the latest')
  return new Date(found.run.started_at)
}
