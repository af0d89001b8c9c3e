import { type Context, settingsFlags, shellQuoted } from '@collab-etl/cli'
import { isTold, messageOf, type Night, notify, pingEnd } from '@collab-etl/observability'
import type { JobPlan } from './steps.ts'

interface Told {
  readonly night: Night
  /** The night before. */
  readonly previous: Night | null
  /** Why the health check could not be told of the start; `null`: it was. */
  readonly started: string | null
}

/** Tells the health check and all receivers how a night ended. Whoever cannot be told is named in a warning; the night stays what it is. */
export async function tell(
  { log, settings }: Context,
  plan: JobPlan,
  { night, previous, started }: Told,
): Promise<void> {
  const places = {
    moreCommand: `collab-nightly status --out ${shellQuoted(plan.out)}${settingsFlags(settings, 'warehouse')}`,
  }
  const message = messageOf(night, places)
  const receivers = (plan.notify ?? []).map(({ url, when = 'failure', as = 'json' }) => ({ url, when, as }))
  const told = receivers.filter(({ when }) => isTold(when, night, previous))
  const failures = await Promise.all([
    started,
    plan.ping === undefined ? null : pingEnd(plan.ping, night),
    ...told.map((receiver) => notify(receiver, message, night)),
  ])
  const names = ['the start of the ping', 'the end of the ping', ...told.map(({ as }) => `the notification (${as})`)]
  for (const [index, reason] of failures.entries()) {
    if (reason !== null) log.warn({ reason }, `${names[index]} could not be delivered`)
  }
}
