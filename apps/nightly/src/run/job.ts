import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError, type Context, duration, EXIT, type ExitCode, settingsEnvironment, toFailure } from '@collab-etl/cli'
import { type FailedAttempt, type Night, pingStart, type Step } from '@collab-etl/observability'
import { inSpan, traceparent, withTraces } from '@collab-etl/observability/traces'
import type { JobPlan } from '../config/plan.ts'
import { mayPass, nextResumes } from './attempts.ts'
import { backupFacts, snapshotFacts, verificationFacts, whatIsNotWhole } from './facts.ts'
import { recordKilled } from './killed.ts'
import { addNight, hasEarlierBackup, readNights } from './record.ts'
import { deliveryOf, reportNight } from './report-night.ts'
import { reportStep } from './report-step.ts'
import { type RanStep, runStep } from './run-step.ts'
import { isWholeRun, lastWholeRun } from './standing.ts'
import { commandOf, type Done, exitCodeOf, STEP_TITLES, type StepName, stepsOf, whySkipped } from './steps.ts'
import { beginNight, type StartedNight } from './under-way.ts'
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
  await using underWay = await beginNight(context, plan.out).catch(async (error: unknown) => {
    if (error instanceof CliError && error.exitCode === EXIT.locked) await refuseNight(context, plan, error)
    throw error
  })
  const reported = underWay.killed === null ? null : recordKilled(context, plan, underWay.killed)
  const steps = new AbortController()
  const started =
    plan.ping === undefined
      ? Promise.resolve(null)
      : pingStart(plan.ping, { ...(await deliveryOf(context)), signal: steps.signal })
  const directory = await workDirectory(context, plan.out)
  using limit = timeLimit(plan.timeout)
  const signal = AbortSignal.any([context.signal, limit.signal])
  const service = env['COLLAB_BASE_URL']
  const known = {
    started_at: startedAt.toISOString(),
    tool_version: context.version,
    base_url: service ?? null,
    directory,
  }
  const onStep = (progress: Progress) => underWay.note({ ...known, ...progress })
  const job = new Job(context, plan, { env, isQuiet, directory, startedAt, signal, onStep })
  try {
    await job.runSteps()
  } finally {
    // if it cannot be removed, the system does so
    if (directory !== null) await rm(directory, { recursive: true, force: true }).catch(() => {})
  }
  // so that a health check that hangs delays no other report, and does not get the start after the end
  steps.abort()
  await reported
  const exitCode = exitCodeOf(job.done)
  const ended = { startedAt, exitCode, service }
  const { night, nights } = await record(context, plan, job, ended)
  await reportNight(context, plan, { night, nights, started: await started })
  return { exitCode, night, done: job.done }
}

/** Aborts when a night has taken longer than `nightly.timeout`. */
function timeLimit(timeout: string | undefined): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController()
  const end = () =>
    controller.abort(new CliError(`ended, because the night took longer than nightly.timeout: ${timeout}`))
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
  const service = settingsEnvironment(context.settings)['COLLAB_BASE_URL']
  const ended = { startedAt, exitCode, service, ...(!hasWarehouse && { warehouseProblem: message }) }
  const { night, nights } = await record(context, plan, { done: new Map(), steps, attempts: 1 }, ended)
  await reportNight(context, plan, { night, nights, started: null })
}

interface StepsOptions extends JobOptions {
  /** For the documents of the steps. */
  readonly directory: string | null
  /** Start of the night. */
  readonly startedAt: Date
  /** Ends the steps. */
  readonly signal: AbortSignal
  /** Called when a step begins. */
  readonly onStep: (progress: Progress) => Promise<void>
}

type NamedStep = Step & { readonly name: StepName }

type Progress = Pick<StartedNight, 'attempts' | 'steps' | 'step' | 'to_come'>

/** The steps of one night. */
class Job {
  readonly done = new Map<StepName, Done>()
  readonly steps: Step[] = []
  /** Attempts of the night so far: each step that is tried again adds one. */
  attempts = 1
  readonly #context: Context
  readonly #plan: JobPlan
  readonly #options: StepsOptions

  constructor(context: Context, plan: JobPlan, options: StepsOptions) {
    this.#context = context
    this.#plan = plan
    this.#options = options
  }

  async runSteps(): Promise<void> {
    const names = stepsOf(this.#plan)
    const hasEarlier = await hasEarlierBackup(this.#plan.out)
    for (const [index, name] of names.entries()) {
      const startedAt = new Date()
      const ending = this.#ending()
      const skipped = ending === null ? whySkipped(name, this.done, { hasEarlier }) : ending.message
      if (skipped !== null) {
        // without a failure before it, its absence would go unnoticed
        const isNamed = [...this.done.values()].some(({ status }) => status === 'failed')
        const ended = isNamed
          ? ({ status: 'skipped', exitCode: null } as const)
          : ({ status: 'failed', exitCode: ending?.exitCode ?? EXIT.unexpected } as const)
        const done = { ...ended, document: null }
        this.#note(done, stepOf(name, done, startedAt, isNamed && ending !== null ? this.#whySkipped : skipped))
        continue
      }
      const step = { name, started_at: startedAt.toISOString() }
      await this.#options.onStep({ attempts: this.attempts, steps: this.steps, step, to_come: names.slice(index + 1) })
      await this.#runUntilItPasses(name, `Step ${index + 1} of ${names.length}`)
    }
  }

  /**
   * Runs a step, and again after a pause while that may help and the night has attempts and time left. A partial result stays what later steps
   * use if the attempts after it fail.
   */
  async #runUntilItPasses(name: StepName, number: string): Promise<void> {
    const { pause } = this.#plan
    const failed: FailedAttempt[] = []
    let partial: { readonly ran: RanStep; readonly step: NamedStep; readonly index: number } | null = null
    let resumes = false
    for (;;) {
      const startedAt = new Date()
      await this.#announce(failed.length === 0 ? number : `${number}, attempt ${failed.length + 1}`, name)
      const ran = await this.#attempt(name, resumes && name === 'snapshot')
      const step = stepOf(name, ran, startedAt, ran.error)
      if (!this.#hasAttempt() || !mayPass(name, ran, this.#options.startedAt)) {
        if (this.#options.isQuiet && ran.exitCode !== EXIT.ok) await this.#context.stdout.write(ran.printed)
        if (partial === null || ran.exitCode !== EXIT.unexpected || this.#ending() !== null)
          this.#note(ran, step, failed)
        else this.#note(partial.ran, partial.step, [...failed.toSpliced(partial.index, 1), failedAttempt(step)])
        return
      }
      if (ran.exitCode === EXIT.partial) partial = { ran, step, index: failed.length }
      failed.push(failedAttempt(step))
      this.#context.log.warn(
        { reason: step.reason },
        `${name} ${step.status}: attempt ${failed.length + 1} follows in ${pause}`,
      )
      const ended = await this.#pause(failed.length + 1)
      if (ended !== null) {
        const { exitCode, message } = ended
        const done = { status: 'failed', exitCode, document: ran.document } as const
        this.#note(done, stepOf(name, done, startedAt, message), failed)
        return
      }
      this.attempts += 1
      resumes = nextResumes(ran, resumes)
    }
  }

  /** Whether the night has another attempt left, and the time for the pause before it. */
  #hasAttempt(): boolean {
    const { attempts, pause, timeout } = this.#plan
    const { signal, startedAt } = this.#options
    const left = timeout === undefined ? Infinity : duration(timeout) - (Date.now() - startedAt.getTime())
    return !signal.aborted && this.attempts < attempts && duration(pause) < left
  }

  /** Why the night ends before its last step: an interruption, or its time limit; `null`: it does not. */
  #ending(): CliError | null {
    const { signal } = this.#options
    return signal.aborted ? toFailure(signal.reason, undefined, this.#context.signal) : null
  }

  get #whySkipped(): string {
    return this.#context.signal.aborted ? 'the job was interrupted' : 'the time limit of the night has passed'
  }

  /** Waits before an attempt. @returns why the night ends meanwhile; `null`: it does not */
  async #pause(attempt: number): Promise<CliError | null> {
    const { signal } = this.#options
    await sleep(duration(this.#plan.pause), undefined, { signal }).catch(() => {}) // then it is aborted
    const ending = this.#ending()
    if (ending === null) return null
    return new CliError(`${ending.message}, in the pause before attempt ${attempt}`, { exitCode: ending.exitCode })
  }

  async #attempt(name: StepName, resumes: boolean): Promise<RanStep> {
    try {
      return await inSpan(`step ${name}`, {}, async (note) => {
        const ran = await this.#run(name, resumes)
        note({ 'collab.exit_code': ran.exitCode ?? -1, 'collab.step.status': ran.status }, ran.status === 'failed')
        return ran
      })
    } catch (error) {
      const { exitCode, message } = toFailure(error, undefined, this.#context.signal)
      return { status: 'failed', exitCode, document: null, printed: '', error: message }
    }
  }

  #run(name: StepName, resumes: boolean): Promise<RanStep> {
    const { env, isQuiet, directory, signal } = this.#options
    const show = isQuiet ? 'nothing' : this.#context.json ? 'errors' : 'all'
    const parent = traceparent()
    const ofStep = parent === null ? env : { ...env, TRACEPARENT: parent }
    const { program, args } = commandOf(name, this.#plan, this.done)
    const command = { program, args: resumes ? [...args, '--resume'] : args }
    return runStep(this.#context, command, { env: ofStep, show, directory, signal })
  }

  async #announce(number: string, name: StepName): Promise<void> {
    const { json, stdout } = this.#context
    if (json || this.#options.isQuiet) return
    const title = STEP_TITLES[name](this.#plan, this.#options.env['COLLAB_BASE_URL'] ?? '')
    await stdout.write(`${this.done.size === 0 && this.attempts === 1 ? '' : '\n'}${number}: ${title}\n\n`)
  }

  #note(done: Done, step: NamedStep, failed: readonly FailedAttempt[] = []): void {
    this.done.set(step.name, done)
    this.steps.push({ ...step, ...(failed.length > 0 && { failed_attempts: failed }) })
  }
}

function stepOf(name: StepName, done: Done, startedAt: Date, reason: string | null): NamedStep {
  return {
    name,
    status: done.status,
    exit_code: done.exitCode,
    started_at: startedAt.toISOString(),
    duration_ms: Date.now() - startedAt.getTime(),
    reason: done.status === 'ok' ? null : (reason ?? whatIsNotWhole(done) ?? withoutReason(done)),
  }
}

/** Number of characters that are kept of the reason of an attempt. */
const MOST_CHARACTERS = 300

function failedAttempt({ started_at, duration_ms, exit_code, reason }: Step): FailedAttempt {
  return {
    started_at,
    duration_ms,
    exit_code: exit_code ?? EXIT.unexpected,
    reason: (reason ?? '').slice(0, MOST_CHARACTERS),
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
  { done, steps, attempts }: Pick<Job, 'done' | 'steps' | 'attempts'>,
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
    attempts,
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
