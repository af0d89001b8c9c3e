import { type Context, EXIT } from '@collab-etl/cli'
import type { Night, Step } from '@collab-etl/observability'
import { writeNightReport } from './write-report.ts'

/**
 * Writes the report at the end of a night, as a step of its own. It does not count for the exit code and the outcome of the night: a
 * failure is a warning, and is on record.
 * @param nights the nights up to this one, the oldest first
 * @param knownProblem why the warehouse is not to be read
 */
export async function reportStep(
  context: Context,
  directory: string,
  nights: readonly Night[],
  knownProblem?: string,
): Promise<Step> {
  const startedAt = new Date()
  const ended = (status: Step['status'], exitCode: number, reason: string | null): Step => {
    const durationMs = Date.now() - startedAt.getTime()
    const times = { started_at: startedAt.toISOString(), duration_ms: durationMs }
    return { name: 'report', status, exit_code: exitCode, ...times, reason }
  }
  try {
    // the first snapshot makes the warehouse: before it, that there is none explains nothing
    const mayBeMissing = nights.every(({ snapshot }) => snapshot === null)
    const { warehouseProblem } = await writeNightReport(context, directory, nights, { knownProblem, mayBeMissing })
    if (warehouseProblem === null) return ended('ok', EXIT.ok, null)
    context.log.warn(
      { reason: warehouseProblem },
      'the report has no changes by project: the warehouse could not be read',
    )
    return ended('partial', EXIT.partial, `the warehouse could not be read: ${warehouseProblem}`)
  } catch (error) {
    const reason = reasonOf(error)
    context.log.warn({ reason }, `the report could not be written to ${directory}`)
    return ended('failed', EXIT.unexpected, reason)
  }
}

/** Why a report could not be written, in one line. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ')
}
