import type { Context } from '@collab-etl/cli'
import type { Night, Step } from '@collab-etl/observability'
import type { JobPlan } from '../config/plan.ts'
import { nightOf } from './night-of.ts'
import { addNight, readNights } from './record.ts'
import { reportNight } from './report-night.ts'
import { INTERRUPTED } from './steps.ts'
import type { StartedNight } from './under-way.ts'

/** The exit code of a process that SIGKILL ended, as shells show it. */
const KILLED = 137

const REASON = 'interrupted: the job was killed, or the machine stopped, during this step'

/**
 * Adds a night that was killed to the record, and notifies its receivers: it could do neither itself, or not both. Not its health check, which
 * noticed that the ping of the end is missing.
 */
export async function recordKilled(context: Context, plan: JobPlan, killed: StartedNight): Promise<void> {
  const all = await readNights(plan.out).catch((): Night[] => [])
  const onRecord = all.find(({ started_at, host }) => started_at === killed.started_at && host === killed.host)
  const nights = all.filter((night) => night !== onRecord)
  const night = onRecord ?? nightOfKilled(killed, nights)
  const when = onRecord ? 'while it was reported' : `during its step ${killed.step.name}`
  context.log.warn(`the run that began ${night.started_at} was killed ${when}`)
  // this night will warn of a record that cannot be written
  if (onRecord === undefined) await addNight(plan.out, night).catch(() => {})
  const { ping: _ping, metrics_file: _metrics, ...notified } = plan
  await reportNight(context, { ...notified, isTrial: true }, { night, nights, started: null }).catch(
    (error: unknown) => {
      context.log.warn({ reason: String(error) }, 'the run that was killed could not be reported')
    },
  )
}

/** What is known of a night that was killed. It ends at the last time that it noted. */
function nightOfKilled(killed: StartedNight, nights: readonly Night[]): Night {
  const { step, to_come: toCome, base_url: service, tool_version: version } = killed
  const steps: Step[] = [
    ...killed.steps,
    { ...step, status: 'failed', exit_code: KILLED, duration_ms: 0, reason: REASON },
    ...toCome.map((name): Step => {
      const times = { started_at: step.started_at, duration_ms: 0 }
      return { name, status: 'skipped', exit_code: null, ...times, reason: INTERRUPTED }
    }),
  ]
  const times = { startedAt: new Date(killed.started_at), finishedAt: new Date(step.started_at) }
  const ended = { done: new Map(), steps, attempts: killed.attempts, exitCode: KILLED }
  return nightOf(ended, { ...times, service, host: killed.host, version }, nights)
}
