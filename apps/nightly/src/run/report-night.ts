import { join } from 'node:path'
import { type Context, EXIT, revealProxy, type Settings, shellQuoted } from '@collab-etl/cli'
import {
  type DeliveryOptions,
  exportMetrics,
  isExporting,
  isNotified,
  messageOf,
  type Night,
  notify,
  pingEnd,
} from '@collab-etl/observability'
import type { JobPlan } from '../config/plan.ts'
import { addNight } from './record.ts'

interface Ended {
  readonly night: Night
  /** The nights before it, the oldest first. */
  readonly nights: readonly Night[]
  /** Why the ping of the start was not delivered; `null`: it was. */
  readonly started: string | null
}

/** Reports a night to the health check, the receivers and the metrics. A failed delivery is a warning, and changes no exit code. */
export async function reportNight(context: Context, plan: JobPlan, { night, nights, started }: Ended): Promise<void> {
  const { log, version } = context
  const previous = nights.at(-1) ?? null
  const message = messageOf(night, {
    moreCommand: `collab-nightly status --out ${shellQuoted(plan.out)}`,
    checkCommand: checkCommandOf(context.settings, plan, night),
    previous,
  })
  const receivers = (plan.notify ?? []).map(({ url, when = 'failure', as = 'json' }) => ({ url, when, as }))
  const missed = (position: number) => previous?.not_notified?.includes(position) ?? false
  const notified = receivers
    .map((receiver, position) => ({ ...receiver, position }))
    .filter(
      // a change that did not arrive, as while the network was down, would never be reported
      ({ when, position }) => isNotified(when, night, previous) || (when === 'change' && missed(position)),
    )
  // what interrupted the job waits for its end
  const options = { ...(await deliveryOf(context)), ...(context.signal.aborted && { attempts: 1, timeoutMs: 5000 }) }
  const targets = {
    file: plan.metrics_file,
    toCollector: !plan.isTrial && isExporting('METRICS'),
    route: routeOf(context),
    version,
  }
  const exported = exportMetrics({ night, nights: [...nights, night] }, targets)
  const [ended, ...sent] = await Promise.all([
    plan.ping === undefined ? null : pingEnd(plan.ping, night, options),
    ...notified.map((receiver) => notify(receiver, message, night, options)),
  ])
  const failures = [started, ended ?? null, ...sent]
  const names = [
    'the start of the ping',
    'the end of the ping',
    ...notified.map(({ as }) => `the notification (${as})`),
  ]
  for (const failure of await exported) log.warn(failure)
  for (const [index, reason] of failures.entries()) {
    if (reason !== null) log.warn({ reason }, `${names[index]} could not be delivered`)
  }
  const lost = notified.filter((_, index) => sent[index] !== null).map(({ position }) => position)
  // a record that cannot be written was reported before
  if (lost.length > 0) await addNight(plan.out, { ...night, not_notified: lost }).catch(() => {})
}

/** How the requests of a night are sent, besides those of its steps: with its authorities and proxies. */
export async function deliveryOf(context: Context): Promise<DeliveryOptions> {
  const route = routeOf(context)
  if (route.ca === undefined && route.proxy === undefined) return {}
  const { fetchThrough } = await import('@collab-etl/core/fetch')
  return { fetch: fetchThrough(route) }
}

/** The authorities and proxies of a night. */
export function routeOf({ settings: { ca, proxy } }: Context) {
  return { ca: ca?.pem, proxy: revealProxy(proxy) }
}

/** The command that examines what failed: token, service and database, or the damaged backup. */
function checkCommandOf({ configFile }: Settings, { out }: JobPlan, { steps, verification }: Night): string | null {
  const snapshot = steps.find(({ name }) => name === 'snapshot')
  const config = configFile === undefined ? '' : ` --config ${shellQuoted(configFile)}`
  if (snapshot?.exit_code === EXIT.unexpected || snapshot?.exit_code === EXIT.unauthorised)
    return `collab-extract check${config}`
  if (verification === null || verification.damaged === 0) return null
  return `collab-export verify ${shellQuoted(join(out, verification.backup))}`
}
