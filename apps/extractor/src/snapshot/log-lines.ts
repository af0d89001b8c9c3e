import type { CliError, Context } from '@collab-etl/cli'
import type { RequestStats } from '@collab-etl/core'
import type { Outcome } from './outcome.ts'
import type { Resumable } from './resume.ts'
import type { Tally } from './tally.ts'

/** How a run ended. */
interface Ended {
  readonly outcome: Outcome
  readonly pids: readonly string[]
  readonly stats: Readonly<RequestStats>
  readonly tally: Tally
  readonly failure: CliError | undefined
  readonly durationMs: number
}

/** The log of a run: each line has its id. A terminal shows the progress instead of the lines of start, projects and end. */
export function logOfRun({ log, progress, settings }: Context, runId: string): Context['log'] {
  const isQuiet = progress.isShown && log.level === 'info' && settings.logFormat !== 'json'
  return log.child({ run_id: runId }, isQuiet ? { level: 'warn' } : {})
}

export function logEnd(log: Context['log'], { outcome, pids, stats, durationMs, tally, failure }: Ended): void {
  const counts = { projects: pids.length, ...stats, losses: tally.losses }
  const error = failure && { error: failure.message }
  log.info({ status: outcome.status, ...counts, duration_ms: durationMs, ...error }, 'run ended')
}

export function logResumed({ log }: Context, resumed: Resumable | null): void {
  if (resumed === null) log.info('there is no interrupted run to resume: reading everything')
  else if (resumed.readAgain !== null) {
    log.info(
      `resuming run ${resumed.runId}: some projects that it published are read again, because ${resumed.readAgain}`,
    )
  }
}
