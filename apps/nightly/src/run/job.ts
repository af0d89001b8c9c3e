import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { CliError, type Context, EXIT, type ExitCode, Interrupted, toFailure } from '@collab-etl/cli'
import { type Night, pingStart, type Step } from '@collab-etl/observability'
import { inSpan, traceparent, withTraces } from '@collab-etl/observability/traces'
import type { JobPlan } from '../config/plan.ts'
import { backupFacts, snapshotFacts, verificationFacts, whatIsNotWhole } from './facts.ts'
import { Hooks, hasHook, INTERRUPTED } from './hooks.ts'
import { addNight, hasEarlierBackup, readNights } from './record.ts'
import { reportNight } from './report-night.ts'
import { reportStep } from './report-step.ts'
import { type RanStep, runStep } from './run-step.ts'
import { isWholeRun } from './standing.ts'
import { commandOf, type Done, exitCodeOf, STEP_TITLES, type StepName, stepsOf, whySkipped, worstOf } from './steps.ts'
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
 * Runs the steps of a night in their order, between the programs of the operator. A failed step stops only those that are not safe without
 * it. Then the night is recorded and reported. If a collector is set, the night is one trace.
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
  const hooks = new Hooks(context, plan, { isQuiet, directory })
  const nights = await nightsOnRecord(context, plan)
  const nightNow = () => nightOf(context, job, { startedAt, service: env['COLLAB_BASE_URL'] }, nights)
  const facts = () => ({ night: nightNow(), archive: job.archive })
  try {
    job.addHooks(await hooks.before())
    await job.runSteps()
    const code = job.exitCode
    const isBackedUp = code === EXIT.ok || code === EXIT.partial
    job.addHooks(await hooks.afterwards('after', isBackedUp ? null : 'the night failed', facts))
    if (job.exitCode !== EXIT.ok) {
      // its failure does not hide the one that it was called for
      job.steps.push(...(await hooks.afterwards('on_failure', null, facts)))
    }
  } finally {
    await removeDirectory(directory)
  }
  // so that a health check that hangs delays no other report, and does not get the start after the end
  steps.abort()
  const night = await record(context, plan, nightNow(), nights)
  await reportNight(context, plan, { night, nights, started: await started })
  return { exitCode: job.exitCode, night, done: job.done }
}

async function removeDirectory(directory: string | null): Promise<void> {
  // if it cannot be removed, the system does so
  if (directory !== null) await rm(directory, { recursive: true, force: true }).catch(() => {})
}

/** Records and reports a night that did not begin, because a setting is wrong. */
export async function refuseNight(context: Context, plan: JobPlan, { message, exitCode }: CliError): Promise<void> {
  const startedAt = new Date()
  const steps = stepsOf(plan).map((name, index): Step => {
    const isFirst = index === 0
    const ended = isFirst
      ? { status: 'failed' as const, exit_code: exitCode, reason: message }
      : { status: 'skipped' as const, exit_code: null, reason: 'the job did not begin' }
    return { name, ...ended, started_at: startedAt.toISOString(), duration_ms: 0 }
  })
  const nights = await nightsOnRecord(context, plan)
  const nightNow = () =>
    nightOf(context, { done: new Map(), steps, exitCode }, { startedAt, service: undefined }, nights)
  if (hasHook(plan, 'on_failure')) {
    const directory = await workDirectory(context, plan.out)
    const hooks = new Hooks(context, plan, { isQuiet: false, directory })
    steps.push(...(await hooks.afterwards('on_failure', null, () => ({ night: nightNow(), archive: null }))))
    await removeDirectory(directory)
  }
  const night = await record(context, plan, nightNow(), nights)
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

  /** Exit codes of programs of the operator that failed. */
  readonly #hookCodes: ExitCode[] = []

  /** The exit code of the night so far. */
  get exitCode(): ExitCode {
    return worstOf([exitCodeOf([...this.done.values()]), ...this.#hookCodes])
  }

  /** Path of this night's archive. */
  get archive(): string | null {
    const path = this.done.get('archive')?.document?.['archive']
    return typeof path === 'string' ? path : null
  }

  /** Adds the programs of the operator to the steps. One that failed counts for the exit code. */
  addHooks(steps: readonly Step[]): void {
    this.steps.push(...steps)
    for (const { status, exit_code: code } of steps) {
      if (status === 'failed')
        this.#hookCodes.push(Object.values(EXIT).find((exit) => exit === code) ?? EXIT.unexpected)
    }
  }

  /** Runs the steps, unless a program of `before` failed. */
  async runSteps(): Promise<void> {
    const names = stepsOf(this.#plan)
    const hasEarlier = await hasEarlierBackup(this.#plan.out)
    const isStopped = this.#hookCodes.length > 0
    const stopped = isStopped
      ? this.#context.signal.aborted
        ? INTERRUPTED
        : 'a program of nightly.before failed'
      : null
    let interrupted: Interrupted | undefined
    for (const [index, name] of names.entries()) {
      const startedAt = new Date()
      const skipped = stopped ?? (interrupted ? INTERRUPTED : whySkipped(name, this.done, { hasEarlier }))
      if (skipped !== null) {
        // without a failure before it, its absence would go unnoticed
        const isNamed =
          stopped !== null ||
          interrupted !== undefined ||
          [...this.done.values()].some(({ status }) => status === 'failed')
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
    return runStep(this.#context, name, commandOf(name, this.#plan, this.done), { env: ofStep, show, directory })
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

function withoutReason({ exitCode, document }: Done): string {
  return `exit code ${exitCode}${document === null ? ', without a summary: its output names the cause' : ''}`
}

/** Warns that the record of nights beside the backups cannot be used. */
function unrecorded({ log }: Context, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error)
  log.warn(
    { reason },
    'the record of nights beside the backups cannot be used: collab-nightly status will not show this night',
  )
}

/** The earlier nights; none, with a warning, if they cannot be read. */
async function nightsOnRecord(context: Context, { out }: JobPlan): Promise<readonly Night[]> {
  return await readNights(out).catch((error: unknown) => {
    unrecorded(context, error)
    return []
  })
}

/** A night up to now, with the number of failures in a row up to it. */
function nightOf(
  { version }: Context,
  { done, steps, exitCode }: Pick<Job, 'done' | 'steps' | 'exitCode'>,
  { startedAt, service }: { readonly startedAt: Date; readonly service: string | undefined },
  nights: readonly Night[],
): Night {
  const previous = nights.at(-1) ?? null
  const isWhole = exitCode === EXIT.ok
  const finishedAt = new Date()
  return {
    started_at: startedAt.toISOString(),
    finished_at: finishedAt.toISOString(),
    duration_ms: finishedAt.getTime() - startedAt.getTime(),
    exit_code: exitCode,
    outcome: isWhole ? 'whole' : exitCode === EXIT.partial ? 'partial' : 'failed',
    host: hostname(),
    tool_version: version,
    base_url: service ?? null,
    steps: [...steps],
    snapshot: snapshotFacts(done.get('snapshot')),
    backup: backupFacts(done.get('backup')),
    verification: verificationFacts(done.get('verify')),
    consecutive_failures: isWhole ? 0 : (previous?.consecutive_failures ?? 0) + 1,
    failing_since: isWhole ? null : (previous?.failing_since ?? startedAt.toISOString()),
    last_whole_at: isWholeRun({ steps }) ? startedAt.toISOString() : (previous?.last_whole_at ?? null),
  }
}

/** Records a night, with the result of its report. */
async function record(
  context: Context,
  { out, report }: JobPlan,
  ended: Night,
  nights: readonly Night[],
): Promise<Night> {
  const isRecorded = await addNight(out, ended)
    .then(() => true)
    .catch((error: unknown) => {
      unrecorded(context, error)
      return false
    })
  if (report === undefined) return ended
  // the report shows the night, and comes after it is on record: if the job is killed meanwhile, only the report is missing
  const night = { ...ended, steps: [...ended.steps, await reportStep(context, report, [...nights, ended])] }
  if (isRecorded) await addNight(out, night).catch((error: unknown) => unrecorded(context, error))
  return night
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
