import { hostname } from 'node:os'
import { damagedCopies } from '@collab-etl/backups/repository'
import { type Context, EXIT } from '@collab-etl/cli'
import { type DeletedProjectFact, damagedLine, type Night } from '@collab-etl/observability'
import type { JobPlan } from '../config/plan.ts'
import { withDrill } from './drill-record.ts'
import { backupFacts, snapshotFacts, verificationFacts } from './facts.ts'
import type { Job } from './job-steps.ts'
import { addNight, readNights } from './record.ts'
import { reportStep } from './report-step.ts'
import { isWholeRun, lastWholeRun } from './standing.ts'

/** Warns that the record of runs beside the backups cannot be used. */
function unrecorded({ log }: Context, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error)
  log.warn(
    { reason },
    'the record of runs beside the backups cannot be used: collab-nightly status will not show this run',
  )
}

/** The earlier nights; none, with a warning, if they cannot be read. */
export async function nightsOnRecord(context: Context, { out }: JobPlan): Promise<readonly Night[]> {
  return await readNights(out).catch((error: unknown) => {
    unrecorded(context, error)
    return []
  })
}

interface Ended extends Pick<Job, 'done' | 'steps' | 'attempts'> {
  /** Default: none. */
  readonly deleted?: readonly DeletedProjectFact[]
  readonly exitCode: number
}

interface Circumstances {
  /** What needs a look, though it does not make the night fail. */
  readonly warnings?: readonly string[]

  readonly startedAt: Date
  readonly finishedAt?: Date
  readonly service: string | null
  readonly host?: string
  readonly version: string
}

/** A night up to now, or to the time when it ended, with the number of failures in a row up to it. */
export function nightOf(
  { done, steps, attempts, exitCode, deleted = [] }: Ended,
  { startedAt, finishedAt = new Date(), service, host = hostname(), version, warnings = [] }: Circumstances,
  nights: readonly Night[],
): Night {
  const previous = nights.at(-1) ?? null
  const isWhole = exitCode === EXIT.ok
  const snapshot = snapshotFacts(done.get('snapshot'))
  return {
    started_at: startedAt.toISOString(),
    finished_at: finishedAt.toISOString(),
    duration_ms: finishedAt.getTime() - startedAt.getTime(),
    exit_code: exitCode,
    outcome: isWhole ? 'whole' : exitCode === EXIT.partial ? 'partial' : 'failed',
    attempts,
    host,
    tool_version: version,
    base_url: service,
    steps: [...steps],
    snapshot: snapshot && { ...snapshot, ...(deleted.length > 0 && { deleted_projects: deleted }) },
    backup: backupFacts(done.get('backup')),
    verification: verificationFacts(done.get('verify')),
    ...(warnings.length > 0 && { warnings }),
    consecutive_failures: isWhole ? 0 : (previous?.consecutive_failures ?? 0) + 1,
    failing_since: isWhole ? null : (previous?.failing_since ?? startedAt.toISOString()),
    last_whole_at: isWholeRun({ steps })
      ? startedAt.toISOString()
      : (lastWholeRun(nights, startedAt)?.started_at ?? null),
  }
}

/**
 * Records a night, with the copies that are damaged and the result of its report.
 * @param warehouseProblem why the report does not even try to read the warehouse
 */
export async function recordNight(
  context: Context,
  { out, report }: JobPlan,
  night: Night,
  nights: readonly Night[],
  warehouseProblem?: string,
): Promise<Night> {
  const [before = night] = await withDrill(out, [night])
  const damaged = await damagedCopies(out).catch(() => undefined)
  const ended = { ...before, ...(damaged && { damaged }) }
  for (const line of [damagedLine(ended), ...(night.warnings ?? [])]) if (line !== '') context.log.warn(line)
  const isRecorded = await addNight(out, ended)
    .then(() => true)
    .catch((error: unknown) => {
      unrecorded(context, error)
      return false
    })
  if (report === undefined) return ended
  // the report shows the night, and comes after it is on record: if the job is killed meanwhile, only the report is missing
  const step = await reportStep(context, report, [...nights, ended], warehouseProblem)
  const reported = { ...ended, steps: [...ended.steps, step] }
  if (isRecorded) await addNight(out, reported).catch((error: unknown) => unrecorded(context, error))
  return reported
}
