import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import {
  CliError,
  type Context,
  EXIT,
  type ExitCode,
  Interrupted,
  settingsEnvironment,
  toFailure,
} from '@collab-etl/cli'
import { type Night, pingStart, type Step } from '@collab-etl/observability'
import { inSpan, traceparent, withTraces } from '@collab-etl/observability/traces'
import type { JobPlan } from '../config/plan.ts'
import { backupFacts, snapshotFacts, verificationFacts, whatIsNotWhole } from './facts.ts'
import { addNight, hasEarlierBackup, readNights } from './record.ts'
import { reportNight } from './report-night.ts'
import { reportStep } from './report-step.ts'
import { type RanStep, runStep } from './run-step.ts'
import { isWholeRun, lastWholeRun } from './standing.ts'
import { commandOf, type Done, exitCodeOf, STEP_TITLES, type StepName, stepsOf, whySkipped } from './steps.ts'
import { workDirectory } from './work-directory.ts'

/** Options of a job besides its plan. */
export interface JobOptions {
  /** The settings of all steps, as environment variables. */
  readonly env: Readonly<Record<string, string>>
  /** Whether nothing is printed if all goes well. */
  readonly isQuiet: boolean
}

/** Result of a job. */
export interface JobResult {
  readonly exitCode: ExitCode
  readonly night: Night
  readonly done: ReadonlyMap<StepName, Done>
}

/**
 * Runs the steps of a night in their order. A failed step stops only those that are not safe without it. Then the night is recorded
 * and reported. If a collector is set, the night is one trace.
 */
export async function runJob(context: Context, plan: JobPlan, options: JobOptions): Promise<JobResult> {
  if (plan.isTrial) return await runNight(context, plan, options)
  const { name, version, log } = context
  return await withTraces({ service: name, version, onFailure: (message) => log.warn(message) }, () =>
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
  const steps = new AbortController()
  const started = plan.ping === undefined ? Promise.resolve(null) : pingStart(plan.ping, { signal: steps.signal })
  const directory = await workDirectory(context, plan.out)
  const job = new Job(context, plan, { env, isQuiet, directory })
  try {
    await job.runSteps()
  } finally {
    // if it cannot be removed, the system does so
    if (directory !== null) await rm(directory, { recursive: true, force: true }).catch(() => {})
  }
  // so that a health check that hangs delays no other report, and does not get the start after the end
  steps.abort()
  const exitCode = exitCodeOf(job.done)
  const ended = { startedAt, exitCode, service: env['COLLAB_BASE_URL'] }
  const { night, nights } = await record(context, plan, job, ended)
  await reportNight(context, plan, { night, nights, started: await started })
  return { exitCode, night, done: job.done }
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
  const service = settingsEnvironment(context.settings)['COLLAB_BASE_URL']
  const ended = { startedAt, exitCode, service, ...(!hasWarehouse && { warehouseProblem: message }) }
  const { night, nights } = await record(context, plan, { done: new Map(), steps }, ended)
  await reportNight(context, plan, { night, nights, started: null })
}

/** The steps of one night. */
class Job {
  readonly done = new Map<StepName, RanStep | Done>()
  readonly steps: Step[] = []
  readonly #context: Context
  readonly #plan: JobPlan
  readonly #options: JobOptions & { readonly directory: string | null }

  constructor(context: Context, plan: JobPlan, options: JobOptions & { readonly directory: string | null }) {
    this.#context = context
    this.#plan = plan
    this.#options = options
  }

  async runSteps(): Promise<void> {
    const names = stepsOf(this.#plan)
    const hasEarlier = await hasEarlierBackup(this.#plan.out)
    let interrupted: Interrupted | undefined
    for (const [index, name] of names.entries()) {
      const startedAt = new Date()
      const skipped = interrupted ? 'the job was interrupted' : whySkipped(name, this.done, { hasEarlier })
      if (skipped !== null) {
        // without a failure before it, its absence would go unnoticed
        const isNamed = interrupted !== undefined || [...this.done.values()].some(({ status }) => status === 'failed')
        const ended = isNamed
          ? ({ status: 'skipped', exitCode: null } as const)
          : ({ status: 'failed', exitCode: EXIT.unexpected } as const)
        this.#note(name, { ...ended, document: null }, startedAt, skipped)
        continue
      }
      await this.#announce(`Step ${index + 1} of ${names.length}: `, name)
      try {
        const ran = await inSpan(`step ${name}`, {}, async (note) => {
          const { status, exitCode, ...of } = await this.#run(name)
          note({ 'collab.exit_code': exitCode ?? -1, 'collab.step.status': status }, status === 'failed')
          return { status, exitCode, ...of }
        })
        this.#note(name, ran, startedAt, ran.error)
        if (this.#options.isQuiet && ran.exitCode !== EXIT.ok) await this.#context.stdout.write(ran.printed)
      } catch (error) {
        const failure = toFailure(error, undefined, this.#context.signal)
        if (failure instanceof Interrupted) interrupted = failure
        this.#note(name, { status: 'failed', exitCode: failure.exitCode, document: null }, startedAt, failure.message)
      }
    }
  }

  #run(name: StepName): Promise<RanStep> {
    const { env, isQuiet, directory } = this.#options
    const show = isQuiet ? 'nothing' : this.#context.json ? 'errors' : 'all'
    const parent = traceparent()
    const ofStep = parent === null ? env : { ...env, TRACEPARENT: parent }
    return runStep(this.#context, commandOf(name, this.#plan, this.done), { env: ofStep, show, directory })
  }

  async #announce(number: string, name: StepName): Promise<void> {
    const { json, stdout } = this.#context
    if (json || this.#options.isQuiet) return
    const title = STEP_TITLES[name](this.#plan, this.#options.env['COLLAB_BASE_URL'] ?? '')
    await stdout.write(`${this.done.size === 0 ? '' : '\n'}${number}${title}\n\n`)
  }

  #note(name: StepName, done: RanStep | Done, startedAt: Date, reason: string | null): void {
    this.done.set(name, done)
    this.steps.push({
      name,
      status: done.status,
      exit_code: done.exitCode,
      started_at: startedAt.toISOString(),
      duration_ms: Date.now() - startedAt.getTime(),
      reason: done.status === 'ok' ? null : (reason ?? whatIsNotWhole(done) ?? withoutReason(done)),
    })
  }
}

function withoutReason({ document }: Done): string {
  return `${document === null ? 'it left no summary' : 'its summary names no cause'}: see its output`
}

interface Ended {
  readonly startedAt: Date
  readonly exitCode: ExitCode
  readonly service: string | undefined
  /** Why the report does not even try to read the warehouse. */
  readonly warehouseProblem?: string
}

/** Records a night, with the number of failures in a row up to it and the result of its report. */
async function record(
  context: Context,
  plan: JobPlan,
  { done, steps }: Pick<Job, 'done' | 'steps'>,
  { startedAt, exitCode, service, warehouseProblem }: Ended,
): Promise<{ night: Night; nights: readonly Night[] }> {
  const { log, version } = context
  const { out, report } = plan
  const unrecorded = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    log.warn(
      { reason },
      'the record of nights beside the backups cannot be used: collab-nightly status will not show this night',
    )
    return []
  }
  const nights = await readNights(out).catch(unrecorded)
  const previous = nights.at(-1) ?? null
  const isWhole = exitCode === EXIT.ok
  const finishedAt = new Date()
  const ended: Night = {
    started_at: startedAt.toISOString(),
    finished_at: finishedAt.toISOString(),
    duration_ms: finishedAt.getTime() - startedAt.getTime(),
    exit_code: exitCode,
    outcome: isWhole ? 'whole' : exitCode === EXIT.partial ? 'partial' : 'failed',
    host: hostname(),
    tool_version: version,
    base_url: service ?? null,
    steps,
    snapshot: snapshotFacts(done.get('snapshot')),
    backup: backupFacts(done.get('backup')),
    verification: verificationFacts(done.get('verify')),
    consecutive_failures: isWhole ? 0 : (previous?.consecutive_failures ?? 0) + 1,
    failing_since: isWhole ? null : (previous?.failing_since ?? startedAt.toISOString()),
    last_whole_at: isWholeRun({ steps })
      ? startedAt.toISOString()
      : (lastWholeRun(nights, startedAt)?.started_at ?? null),
  }
  const isRecorded = await addNight(out, ended)
    .then(() => true)
    .catch((error: unknown) => {
      unrecorded(error)
      return false
    })
  if (report === undefined) return { night: ended, nights }
  // the report shows the night, and comes after it is on record: if the job is killed meanwhile, only the report is missing
  const night = { ...ended, steps: [...steps, await reportStep(context, report, [...nights, ended], warehouseProblem)] }
  if (isRecorded) await addNight(out, night).catch(unrecorded)
  return { night, nights }
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
  return new CliError(message, { exitCode, code: (first?.name ?? 'failed').toUpperCase() })
}
