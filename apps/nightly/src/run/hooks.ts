import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Context, childEnvironment, EXIT, type ProgramLine, requireTrust, toFailure } from '@collab-etl/cli'
import type { Night, Step } from '@collab-etl/observability'
import { inSpan } from '@collab-etl/observability/traces'
import type { JobPlan } from '../config/plan.ts'
import { HOOKS, type HookName } from '../config/schema.ts'
import { runHook } from './run-hook.ts'
import { INTERRUPTED } from './steps.ts'

/** Milliseconds for one program of `on_failure`. */
const ON_FAILURE_MS = 10 * 60_000

/** Number of lines that are kept of an output that is shown only if the program fails. */
const MOST_LINES = 1000

/** What the programs learn about the night, in their environment. */
interface HookFacts {
  readonly night: Night
  /** Path of the archive; `null`: none was written. */
  readonly archive: string | null
}

export interface HookOptions {
  /** Whether the output of a program that succeeds is dropped. */
  readonly isQuiet: boolean
  /** A directory of this process, for the summary; `null`: there is none, and so no summary. */
  readonly directory: string | null
  /** Ends the programs, but those of `on_failure`, which also run after a night that took too long. */
  readonly signal: AbortSignal
}

/** @throws UsageError if the programs come from a config file that may be a stranger's */
export function requireTrustedHooks({ settings }: Pick<Context, 'settings'>, plan: JobPlan): void {
  for (const hook of HOOKS) if (hasHook(plan, hook)) requireTrust(`nightly.${hook}`, settings.distrust)
}

/** Whether there is a program to run. */
export function hasHook(plan: JobPlan, hook: HookName): boolean {
  return (plan[hook] ?? []).length > 0
}

/** A night whose programs do not run. */
export function withoutHooks({ before: _before, after: _after, on_failure: _failure, ...plan }: JobPlan): JobPlan {
  return plan
}

/** Runs the programs of the operator, each as a step of the night. */
export class Hooks {
  readonly #context: Context
  readonly #plan: JobPlan
  readonly #options: HookOptions

  constructor(context: Context, plan: JobPlan, options: HookOptions) {
    this.#context = context
    this.#plan = plan
    this.#options = options
  }

  /** Runs the programs of `before` until one fails. */
  async before(): Promise<Step[]> {
    const env = await this.#environment(null)
    const steps: Step[] = []
    for (const line of this.#plan.before ?? []) {
      const hasFailed = steps.some(({ status }) => status !== 'ok')
      steps.push(
        hasFailed ? skipped('before', line, 'a program before it failed') : await this.#run('before', line, env),
      )
    }
    return steps
  }

  /** Runs all programs of a hook, even if one of them fails. @param reason why they do not run; `null`: they do */
  async afterwards(hook: 'after' | 'on_failure', reason: string | null, facts: () => HookFacts): Promise<Step[]> {
    const lines = this.#plan[hook] ?? []
    if (lines.length === 0) return []
    const why = this.#context.signal.aborted ? INTERRUPTED : reason
    if (why !== null) return lines.map((line) => skipped(hook, line, why))
    const env = await this.#environment(facts())
    const steps: Step[] = []
    for (const line of lines) steps.push(await this.#run(hook, line, env))
    return steps
  }

  async #run(hook: HookName, line: ProgramLine, env: NodeJS.ProcessEnv): Promise<Step> {
    const { log, signal: ofProcess } = this.#context
    const ofJob = hook === 'on_failure' ? ofProcess : this.#options.signal
    const name = stepName(hook, line)
    const startedAt = new Date()
    const ended = (code: number, reason: string | null): Step => ({
      name,
      status: reason === null ? 'ok' : 'failed',
      exit_code: code,
      started_at: startedAt.toISOString(),
      duration_ms: Date.now() - startedAt.getTime(),
      reason,
    })
    const kept: string[] = []
    const isShown = !this.#options.isQuiet && log.isLevelEnabled('info')
    const onLine = (text: string) => {
      if (isShown) return log.info({ step: name }, text)
      kept.push(text)
      if (kept.length > MOST_LINES) kept.shift()
    }
    const limit = hook === 'on_failure' ? AbortSignal.timeout(ON_FAILURE_MS) : null
    const signal = limit === null ? ofJob : AbortSignal.any([ofJob, limit])
    const step = await inSpan(`step ${name}`, {}, async (note) => {
      const reason = await runHook(line, { env, signal, onLine }).catch((error: unknown) => {
        if (!limit?.aborted || ofJob.aborted) throw error
        return `did not end within ${ON_FAILURE_MS / 60_000} minutes`
      })
      note({ 'collab.step.status': reason === null ? 'ok' : 'failed' }, reason !== null)
      return ended(reason === null ? EXIT.ok : EXIT.unexpected, reason)
    }).catch((error: unknown) => {
      const { exitCode, message } = toFailure(error, undefined, ofProcess)
      return ended(exitCode, message)
    })
    if (step.status === 'failed') for (const text of kept) log.error({ step: name }, text)
    return step
  }

  /**
   * The environment of this process without the token, from which the database's address was taken out as well: the programs may need
   * that one (`pg_dump`).
   */
  async #environment(facts: HookFacts | null): Promise<NodeJS.ProcessEnv> {
    const { databaseUrl } = this.#context.settings
    const env = childEnvironment(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl.reveal() })
    const variables = {
      COLLAB_TOKEN: undefined,
      COLLAB_EXIT_CODE: facts?.night.exit_code.toString(),
      COLLAB_BACKUP: facts?.night.backup?.path,
      COLLAB_ARCHIVE: facts?.archive ?? undefined,
      COLLAB_SUMMARY: facts === null ? undefined : await this.#writeSummary(facts.night),
    }
    // one that is inherited would be of another night
    return { ...env, ...variables }
  }

  async #writeSummary(night: Night): Promise<string | undefined> {
    const { directory } = this.#options
    if (directory === null) return undefined
    const path = join(directory, 'summary.json')
    await writeFile(path, `${JSON.stringify(night)}\n`, { mode: 0o600 })
    return path
  }
}

function skipped(hook: HookName, line: ProgramLine, reason: string): Step {
  const startedAt = new Date().toISOString()
  return {
    name: stepName(hook, line),
    status: 'skipped',
    exit_code: null,
    started_at: startedAt,
    duration_ms: 0,
    reason,
  }
}

/** `after rclone`, of printable ASCII: it is part of the title of notifications. */
function stepName(hook: HookName, [program]: ProgramLine): string {
  return `${hook} ${basename(program).replace(/[^\x21-\x7e]/g, '?')}`
}
