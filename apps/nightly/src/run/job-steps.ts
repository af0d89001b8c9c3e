import { setTimeout as sleep } from 'node:timers/promises'
import { CliError, type Context, duration, EXIT, type ExitCode, toFailure } from '@collab-etl/cli'
import { clipped, type DeletedProjectFact, type FailedAttempt, type Step } from '@collab-etl/observability'
import { inSpan, traceparent } from '@collab-etl/observability/traces'
import type { JobPlan } from '../config/plan.ts'
import { mayPass } from './attempts.ts'
import { isDue, readDrill } from './drill-record.ts'
import { deletedProjects, MOST_CHARACTERS, scopesText, whatIsNotWhole } from './facts.ts'
import { hasEarlierBackup } from './record.ts'
import { type RanStep, runStep } from './run-step.ts'
import {
  commandOf,
  type Done,
  exitCodeOf,
  INTERRUPTED,
  isToCopy,
  STEP_TITLES,
  type StepName,
  stepsOf,
  whySkipped,
  worstOf,
} from './steps.ts'
import type { StartedNight } from './under-way.ts'

/** Options of a job besides its plan. */
export interface JobOptions {
  /** The settings of all steps, as environment variables. */
  readonly env: Readonly<Record<string, string>>
  /** Whether nothing is printed if all goes well. */
  readonly isQuiet: boolean
}

export interface StepsOptions extends JobOptions {
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

/** How far a night has come. */
export type Progress = Pick<StartedNight, 'attempts' | 'steps' | 'step' | 'to_come'>

/** The steps of one night. */
export class Job {
  readonly done = new Map<StepName, Done>()
  readonly steps: Step[] = []
  /** Projects that an attempt of the snapshot found to be no longer in the service: later attempts do not name them. */
  readonly deleted: DeletedProjectFact[] = []
  /** Attempts of the night so far: each step that is tried again adds one. */
  attempts = 1
  /** Exit codes of programs of the operator that failed. */
  readonly #hookCodes: ExitCode[] = []
  readonly #context: Context
  readonly #plan: JobPlan
  readonly #options: StepsOptions

  constructor(context: Context, plan: JobPlan, options: StepsOptions) {
    this.#context = context
    this.#plan = plan
    this.#options = options
  }

  /** The exit code of the night so far. */
  get exitCode(): ExitCode {
    return worstOf([exitCodeOf(this.done), ...this.#hookCodes])
  }

  /** Whether the programs of `after` run. */
  get isToCopy(): boolean {
    return isToCopy(this.done, this.#hookCodes)
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
    const names = stepsOf(this.#plan, await isDrillDue(this.#plan, this.#options.startedAt))
    const hasEarlier = await hasEarlierBackup(this.#plan.out)
    const isStopped = this.#hookCodes.length > 0
    for (const [index, name] of names.entries()) {
      const startedAt = new Date()
      const ending = this.#ending()
      const stopped = isStopped ? 'a program of nightly.before failed' : null
      const skipped = ending?.message ?? stopped ?? whySkipped(name, this.done, { hasEarlier })
      if (skipped !== null) {
        // without a failure before it, its absence would go unnoticed
        const isNamed = isStopped || [...this.done.values()].some(({ status }) => status === 'failed')
        const ended = isNamed
          ? ({ status: 'skipped', exitCode: null } as const)
          : ({ status: 'failed', exitCode: ending?.exitCode ?? EXIT.unexpected } as const)
        const done = { ...ended, document: null }
        this.#note(done, this.#stepOf(name, done, startedAt, isNamed && ending !== null ? this.#whySkipped : skipped))
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
    const failed: Failed[] = []
    let partial: { readonly ran: RanStep; readonly step: NamedStep; readonly index: number } | null = null
    for (;;) {
      const startedAt = new Date()
      await this.#announce(failed.length === 0 ? number : `${number}, attempt ${failed.length + 1}`, name)
      const ran = await this.#attempt(name, failed.length > 0)
      if (name === 'snapshot') this.deleted.push(...deletedProjects(ran))
      const step = this.#stepOf(name, ran, startedAt, ran.error)
      if (!this.#hasAttempt() || !mayPass(name, ran, this.#options.startedAt)) {
        if (this.#options.isQuiet && ran.exitCode !== EXIT.ok) await this.#context.stdout.write(ran.printed)
        if (partial === null || ran.exitCode !== EXIT.unexpected || this.#ending() !== null)
          this.#note(ran, step, failed)
        else this.#note(partial.ran, partial.step, [...failed.toSpliced(partial.index, 1), failedAttempt(step, ran)])
        return
      }
      if (ran.exitCode === EXIT.partial) partial = { ran, step, index: failed.length }
      failed.push(failedAttempt(step, ran))
      this.#context.log.warn(
        { reason: step.reason },
        `${name} ${step.status}: attempt ${failed.length + 1} follows in ${pause}`,
      )
      const ended = await this.#pause(failed.length + 1)
      if (ended !== null) {
        const { exitCode, message } = ended
        const done = { status: 'failed', exitCode, document: ran.document } as const
        this.#note(done, this.#stepOf(name, done, startedAt, message), failed)
        return
      }
      this.attempts += 1
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
    return this.#context.signal.aborted ? INTERRUPTED : 'the time limit of the run has passed'
  }

  /** Waits before an attempt. @returns why the night ends meanwhile; `null`: it does not */
  async #pause(attempt: number): Promise<CliError | null> {
    const { signal } = this.#options
    await sleep(duration(this.#plan.pause), undefined, { signal }).catch(() => {}) // then it is aborted
    const ending = this.#ending()
    if (ending === null) return null
    return new CliError(`${ending.message}, in the pause before attempt ${attempt}`, { exitCode: ending.exitCode })
  }

  async #attempt(name: StepName, isRepeated: boolean): Promise<RanStep> {
    try {
      return await inSpan(`step ${name}`, {}, async (note) => {
        const ran = await this.#run(name, isRepeated)
        note({ 'collab.exit_code': ran.exitCode ?? -1, 'collab.step.status': ran.status }, ran.status === 'failed')
        return ran
      })
    } catch (error) {
      const { exitCode, message } = toFailure(error, undefined, this.#context.signal)
      return { status: 'failed', exitCode, document: null, printed: '', error: message }
    }
  }

  #run(name: StepName, isRepeated: boolean): Promise<RanStep> {
    const { env, isQuiet, directory, signal, startedAt } = this.#options
    const show = isQuiet ? 'nothing' : this.#context.json ? 'errors' : 'all'
    const parent = traceparent()
    const ofStep = parent === null ? env : { ...env, TRACEPARENT: parent }
    const { program, args } = commandOf(name, this.#plan, this.done)
    // a run of an earlier night would be mixed with today's data
    const resumes = isRepeated && name === 'snapshot' ? [`--resume=${startedAt.toISOString()}`] : []
    const command = { program, args: [...args, ...resumes] }
    return runStep(this.#context, name, command, { env: ofStep, show, directory, signal })
  }

  async #announce(number: string, name: StepName): Promise<void> {
    const { json, stdout } = this.#context
    if (json || this.#options.isQuiet) return
    const title = STEP_TITLES[name](this.#plan, this.#options.env['COLLAB_BASE_URL'] ?? '')
    await stdout.write(`${this.done.size === 0 && this.attempts === 1 ? '' : '\n'}${number}: ${title}\n\n`)
  }

  #note(done: Done, step: NamedStep, failed: readonly Failed[] = []): void {
    this.done.set(step.name, done)
    const attempts = failed.map(({ scopes, ...attempt }) => ({
      ...attempt,
      ...(scopes !== '' && scopes === scopesText(done) && { is_same: true }),
    }))
    this.steps.push({ ...step, ...(attempts.length > 0 && { failed_attempts: attempts }) })
  }

  #stepOf(name: StepName, done: Done, startedAt: Date, reason: string | null): NamedStep {
    const snapshot = name === 'snapshot' ? done : this.done.get('snapshot')
    return {
      name,
      status: done.status,
      exit_code: done.exitCode,
      started_at: startedAt.toISOString(),
      duration_ms: Date.now() - startedAt.getTime(),
      reason: done.status === 'ok' ? null : (reason ?? whatIsNotWhole(done, snapshot) ?? withoutReason(done)),
    }
  }
}

async function isDrillDue({ drill, out }: JobPlan, now: Date): Promise<boolean> {
  return drill !== undefined && isDue(await readDrill(out), duration(drill), now)
}

/** An attempt that failed, with its incomplete scopes. */
interface Failed extends FailedAttempt {
  readonly scopes: string
}

function failedAttempt({ started_at, duration_ms, exit_code, reason }: Step, done: Done): Failed {
  return {
    started_at,
    duration_ms,
    exit_code: exit_code ?? EXIT.unexpected,
    reason: clipped(reason ?? '', MOST_CHARACTERS),
    scopes: scopesText(done),
  }
}

function withoutReason({ document }: Done): string {
  return `${document === null ? 'it left no summary' : 'its summary names no cause'}: see its output`
}
