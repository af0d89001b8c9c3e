import { type Context, shellQuoted } from '@collab-etl/cli'
import { exportMetrics, isNotified, messageOf, type Night, notify, pingEnd } from '@collab-etl/observability'
import type { JobPlan } from '../config/plan.ts'

interface Ended {
  readonly night: Night
  /** The nights before it, the oldest first. */
  readonly nights: readonly Night[]
  /** Why the ping of the start was not delivered; `null`: it was. */
  readonly started: string | null
}

/** Reports a night to the health check, the receivers and the metrics. A failed delivery is a warning, and changes no exit code. */
export async function reportNight(
  { log, version }: Context,
  plan: JobPlan,
  { night, nights, started }: Ended,
): Promise<void> {
  const message = messageOf(night, { moreCommand: `collab-nightly status --out ${shellQuoted(plan.out)}` })
  const receivers = (plan.notify ?? []).map(({ url, when = 'failure', as = 'json' }) => ({ url, when, as }))
  const notified = receivers.filter(({ when }) => isNotified(when, night, nights.at(-1) ?? null))
  const failures = await Promise.all([
    started,
    plan.ping === undefined ? null : pingEnd(plan.ping, night),
    ...notified.map((receiver) => notify(receiver, message, night)),
  ])
  const names = [
    'the start of the ping',
    'the end of the ping',
    ...notified.map(({ as }) => `the notification (${as})`),
  ]
  const toCollector = (process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '') !== ''
  const targets = { file: plan.metrics_file, toCollector, version }
  for (const failure of await exportMetrics({ night, nights: [...nights, night] }, targets)) log.warn(failure)
  for (const [index, reason] of failures.entries()) {
    if (reason !== null) log.warn({ reason }, `${names[index]} could not be delivered`)
  }
}
