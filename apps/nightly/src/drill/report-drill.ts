import { hostname } from 'node:os'
import { type Context, type ExitCode, shellQuoted } from '@collab-etl/cli'
import { type DrillFacts, exportMetrics, isExporting, messageOf, notify, type Step } from '@collab-etl/observability'
import type { JobPlan } from '../config/plan.ts'
import { withDrill } from '../run/drill-record.ts'
import { nightOf, nightsOnRecord } from '../run/night-of.ts'
import { deliveryOf } from '../run/report-night.ts'

/** Reports a drill that is no step of a night: in the metrics, and to all receivers if it failed. A failed delivery is a warning. */
export async function reportDrill(
  context: Context,
  plan: JobPlan,
  drill: DrillFacts,
  exitCode: ExitCode,
): Promise<void> {
  const { log, version } = context
  const nights = await withDrill(plan.out, await nightsOnRecord(context, plan))
  const last = nights.at(-1)
  if (last !== undefined) {
    const targets = { file: plan.metrics_file, toCollector: isExporting('METRICS'), version }
    for (const failure of await exportMetrics({ night: last, nights }, targets)) log.warn(failure)
  }
  if (drill.problem === null) return
  const { started_at, duration_ms, problem: reason } = drill
  const step: Step = { name: 'drill', status: 'failed', exit_code: exitCode, started_at, duration_ms, reason }
  const ended = { done: new Map(), steps: [step], attempts: 1, exitCode }
  const about = { startedAt: new Date(started_at), service: null, host: hostname(), version }
  const night = nightOf(ended, about, [])
  const message = messageOf(night, { moreCommand: `collab-nightly status --out ${shellQuoted(plan.out)}` })
  const options = await deliveryOf(context)
  for (const { url, when = 'failure', as = 'json' } of plan.notify ?? []) {
    const lost = await notify({ url, when, as }, message, night, options)
    if (lost !== null) log.warn({ reason: lost }, `the notification (${as}) could not be delivered`)
  }
}
