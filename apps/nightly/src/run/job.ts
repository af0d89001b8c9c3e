import { rm } from 'node:fs/promises'
import { PrivateDirectory, warnOfLeft } from '@collab-etl/backups/unpack'
import { CliError, type Context, duration, EXIT, type ExitCode, settingsEnvironment } from '@collab-etl/cli'
import { type Night, pingStart, type Step } from '@collab-etl/observability'
import { inSpan, withTraces } from '@collab-etl/observability/traces'
import type { JobPlan } from '../config/plan.ts'
import { Hooks, hasHook } from './hooks.ts'
import { Job, type JobOptions, type Progress } from './job-steps.ts'
import { recordKilled } from './killed.ts'
import { nightOf, nightsOnRecord, recordNight } from './night-of.ts'
import { deliveryOf, reportNight, routeOf } from './report-night.ts'
import { type Done, type StepName, stepsOf } from './steps.ts'
import { beginNight } from './under-way.ts'
import { warningsOf } from './warnings.ts'
import { workDirectory } from './work-directory.ts'

/** Result of a job. */
export interface JobResult {
  readonly exitCode: ExitCode
  readonly night: Night
  readonly done: ReadonlyMap<StepName, Done>
}

/**
 * Runs the steps of a night in their order, between the programs of the operator. A failed step stops only those that are not safe without
 * it. Then the night is recorded and reported. If a collector is set, the night is one trace.
 */
export async function runJob(context: Context, plan: JobPlan, options: JobOptions): Promise<JobResult> {
  if (plan.isTrial) return await runNight(context, plan, options)
  const { name, version, log } = context
  const traced = { service: name, version, route: routeOf(context), onFailure: (message: string) => log.warn(message) }
  return await withTraces(traced, () =>
    inSpan('night', {}, async (note) => {
      const result = await runNight(context, plan, options)
      const { exitCode, night } = result
      note({ 'collab.exit_code': exitCode, 'collab.outcome': night.outcome }, night.outcome === 'failed')
      return result
    }),
  )
}

async function runNight(context: Context, plan: JobPlan, { env, isQuiet }: JobOptions): Promise<JobResult> {
  const startedAt = new Date()
  // a second run is no failure: the first one reports the night
  await using underWay = await beginNight(context, plan.out)
  // decrypted data of a drill that was killed
  await PrivateDirectory.removeStale(context.signal, warnOfLeft(context)).catch(() => {})
  const reported = underWay.killed === null ? null : recordKilled(context, plan, underWay.killed)
  const steps = new AbortController()
  const started =
    plan.ping === undefined
      ? Promise.resolve(null)
      : pingStart(plan.ping, { ...(await deliveryOf(context)), signal: steps.signal })
  const directory = await workDirectory(context, plan.out)
  using limit = timeLimit(plan.timeout)
  const signal = AbortSignal.any([context.signal, limit.signal])
  const { version } = context
  const service = env['COLLAB_BASE_URL'] ?? null
  const known = { started_at: startedAt.toISOString(), tool_version: version, base_url: service, directory }
  const onStep = (progress: Progress) => underWay.note({ ...known, ...progress })
  const job = new Job(context, plan, { env, isQuiet, directory, startedAt, signal, onStep })
  const hooks = new Hooks(context, plan, { isQuiet, directory, signal })
  let nights: readonly Night[] = []
  let warnings: readonly string[] = []
  const nightNow = () => nightOf(job, { startedAt, service, version, warnings }, nights)
  const facts = () => ({ night: nightNow(), archive: job.archive })
  const onHooks = async (name: string, toCome: readonly StepName[]) =>
    await onStep({
      attempts: job.attempts,
      steps: job.steps,
      step: { name, started_at: new Date().toISOString() },
      to_come: toCome,
    })
  try {
    await onHooks('before', stepsOf(plan))
    job.addHooks(await hooks.before())
    await job.runSteps()
    // a night that was killed comes before this one
    await reported
    nights = await nightsOnRecord(context, plan)
    warnings = await warningsOf(plan, { done: job.done, startedAt, nights })
    await onHooks('after', [])
    job.addHooks(await hooks.afterwards('after', job.isToCopy ? null : 'the run failed', facts))
    if (job.exitCode !== EXIT.ok) {
      // its failure does not hide the one that it was called for
      job.steps.push(...(await hooks.afterwards('on_failure', null, facts)))
    }
  } finally {
    await removeDirectory(directory)
  }
  // so that a health check that hangs delays no other report, and does not get the start after the end
  steps.abort()
  const night = await recordNight(context, plan, nightNow(), nights)
  await reportNight(context, plan, { night, nights, started: await started })
  return { exitCode: job.exitCode, night, done: job.done }
}

async function removeDirectory(directory: string | null): Promise<void> {
  // if it cannot be removed, the system does so
  if (directory !== null) await rm(directory, { recursive: true, force: true }).catch(() => {})
}

/** Aborts when a night has taken longer than `nightly.timeout`. */
function timeLimit(timeout: string | undefined): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController()
  const end = () =>
    controller.abort(new CliError(`ended, because the run took longer than nightly.timeout (${timeout})`))
  const timer = timeout === undefined ? undefined : setTimeout(end, duration(timeout))
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) }
}

/**
 * Records and reports a night that did not begin, because a setting is wrong.
 * @param hasWarehouse whether the settings of the warehouse are right; the report reads no other warehouse
 */
export async function refuseNight(
  context: Context,
  plan: JobPlan,
  { message, exitCode }: CliError,
  hasWarehouse: boolean,
): Promise<void> {
  const startedAt = new Date()
  const steps = stepsOf(plan).map((name, index): Step => {
    const isFirst = index === 0
    const ended = isFirst
      ? { status: 'failed' as const, exit_code: exitCode, reason: message }
      : { status: 'skipped' as const, exit_code: null, reason: 'the job did not begin' }
    return { name, ...ended, started_at: startedAt.toISOString(), duration_ms: 0 }
  })
  const { version } = context
  const service = settingsEnvironment(context.settings)['COLLAB_BASE_URL'] ?? null
  const nights = await nightsOnRecord(context, plan)
  const refused = { done: new Map(), steps, attempts: 1, exitCode }
  const nightNow = () => nightOf(refused, { startedAt, service, version }, nights)
  if (hasHook(plan, 'on_failure')) {
    const directory = await workDirectory(context, plan.out)
    const hooks = new Hooks(context, plan, { isQuiet: false, directory, signal: context.signal })
    steps.push(...(await hooks.afterwards('on_failure', null, () => ({ night: nightNow(), archive: null }))))
    await removeDirectory(directory)
  }
  const night = await recordNight(context, plan, nightNow(), nights, hasWarehouse ? undefined : message)
  await reportNight(context, plan, { night, nights, started: null })
}

/** The error of a night that failed; `null`: it is whole or partial. */
export function failureOf({ night, exitCode }: JobResult): CliError | null {
  if (night.outcome !== 'failed') return null
  const failed = night.steps.filter(({ status }) => status === 'failed')
  const [first] = failed
  const causes = failed.map(({ name, reason }) => `${name} failed${reason === null ? '' : ` (${reason})`}`)
  // the snapshot's own error is the line above
  if (first?.name === 'snapshot') causes[0] = 'the snapshot failed, so no backup was written'
  const message = `${causes.join('; ')}: see above`
  // of a program of the operator, the key that names it
  const [code = 'failed'] = first?.name.split(' ') ?? []
  return new CliError(message, { exitCode, code: code.toUpperCase() })
}
