import { join } from 'node:path'
import { EXIT, type ExitCode } from '@collab-etl/cli'
import type { StepStatus } from '@collab-etl/observability'
import type { JobPlan } from '../config/plan.ts'
import type { ProgramName } from './run-program.ts'

/** The steps of the job, in this order. */
export type StepName =
  | 'snapshot'
  | 'backup'
  | 'verify'
  | 'prune'
  | 'archive'
  | 'prune-archives'
  | 'verify-older'
  | 'drill'

/** A step that was run or skipped, as far as later steps depend on it. */
export interface Done {
  readonly status: StepStatus
  readonly exitCode: ExitCode | null
  /** The document of the command; `null` if it left none. */
  readonly document: Readonly<Record<string, unknown>> | null
}

/** Why a step of an interrupted night is not run. */
export const INTERRUPTED = 'the job was interrupted'

/** The steps so far. */
export type DoneSteps = ReadonlyMap<StepName, Done>

/** A command to run. */
export interface StepCommand {
  readonly program: ProgramName
  readonly args: readonly string[]
}

/** The steps of a plan, in a night in which a drill is due or not. */
export function stepsOf({ verify, keep, archive }: JobPlan, isDrillDue = false): StepName[] {
  return [
    ...(['snapshot', 'backup'] as const),
    ...(verify === 'off' ? [] : (['verify'] as const)),
    ...(keep === undefined ? [] : (['prune'] as const)),
    ...(archive === undefined ? [] : (['archive'] as const)),
    ...(archive?.keep === undefined ? [] : (['prune-archives'] as const)),
    ...(verify.startsWith('1/') ? (['verify-older'] as const) : []),
    ...(isDrillDue ? (['drill'] as const) : []),
  ]
}

/** The title that is printed when a step begins. */
export const STEP_TITLES: Readonly<Record<StepName, (plan: JobPlan, service: string) => string>> = {
  snapshot: (_, service) => `reading every project of ${service} into the warehouse`,
  backup: ({ out }) => `writing a backup to ${out}`,
  verify: ({ verify }) => (verify === 'full' ? 'verifying the backup' : `verifying the backup (${verify})`),
  prune: ({ out }) => `removing old backups from ${out}`,
  'prune-archives': ({ out, archive }) => `removing old archives from ${archive?.to ?? out}`,
  'verify-older': () => 'verifying an older backup and an archive',
  drill: () => 'practising recovery from the newest archive or backup',
  archive: ({ archive }) => `writing the backup into one file${archive?.to === undefined ? '' : ` in ${archive.to}`}`,
}

/** The command of a step. */
export function commandOf(step: StepName, plan: JobPlan, done: DoneSteps): StepCommand {
  const backup = backupPath(done) ?? plan.out
  if (step === 'snapshot') return { program: 'collab-extract', args: ['snapshot', ...plan.snapshotArgs] }
  if (step === 'backup') {
    const content = plan.content === undefined ? [] : ['--content', plan.content.join(',')]
    return {
      program: 'collab-export',
      args: ['backup', '--out', plan.out, '--format', plan.formats.join(','), ...content],
    }
  }
  if (step === 'verify') return { program: 'collab-export', args: ['verify', backup, ...verifyArgs(plan.verify)] }
  if (step === 'prune') return { program: 'collab-export', args: ['prune', plan.out, ...keepArgs(plan.keep)] }
  if (step === 'verify-older') {
    const archives = plan.archive?.to === undefined ? [] : ['--archives', plan.archive.to]
    return { program: 'collab-export', args: ['verify', plan.out, '--in-turn', ...archives] }
  }
  if (step === 'drill') return { program: 'collab-nightly', args: ['drill', '--out', plan.out, '--record-only'] }
  if (step === 'prune-archives') {
    const { to = plan.out, keep } = plan.archive ?? {}
    return { program: 'collab-export', args: ['prune', plan.out, '--archives', to, ...keepArgs(keep)] }
  }
  return { program: 'collab-export', args: ['archive', backup, ...archiveArgs(plan.archive, done)] }
}

function verifyArgs(verify: string): string[] {
  if (verify === 'full') return []
  return verify === 'fast' ? ['--fast'] : ['--sample', verify]
}

function keepArgs(keep: JobPlan['keep']): string[] {
  return Object.entries(keep ?? {}).flatMap(([rule, count]) => [`--keep-${rule}`, String(count)])
}

function archiveArgs(archive: JobPlan['archive'], done: DoneSteps): string[] {
  const { as = 'tar.zst', to, encrypt = [] } = archive ?? {}
  const name = done.get('backup')?.document?.['name']
  const file = `${String(name)}.${as}${encrypt.length > 0 ? '.age' : ''}`
  return [
    ...['--as', as],
    ...(to === undefined ? [] : ['--out', join(to, file)]),
    ...encrypt.flatMap((recipient) => ['--encrypt', recipient]),
  ]
}

/** The backup of this night. */
function backupPath(done: DoneSteps): string | undefined {
  const path = done.get('backup')?.document?.['backup']
  return typeof path === 'string' ? path : undefined
}

/** Whether a command stored what it could. */
function isStored(done: Done | undefined): boolean {
  return done?.exitCode === EXIT.ok || done?.exitCode === EXIT.partial
}

/** Why a step would not be safe, or has nothing to do; `null`: it may run. A failed step stops no later one that does not depend on it. */
export function whySkipped(
  step: StepName,
  done: DoneSteps,
  { hasEarlier }: { readonly hasEarlier: boolean },
): string | null {
  const [snapshot, backup, verify] = (['snapshot', 'backup', 'verify'] as const).map((name) => done.get(name))
  if (step === 'snapshot') return null
  if (snapshot?.exitCode === EXIT.locked) return 'another run holds the lock'
  if (step === 'backup') return isStored(snapshot) ? null : 'the snapshot failed, so a backup would hold nothing new'
  // without a new backup, the latest earlier one is verified
  if (step === 'verify' || step === 'verify-older')
    return isStored(backup) || hasEarlier ? null : 'there is no backup yet'
  if (step === 'drill' && !isStored(backup) && !hasEarlier) return 'there is no backup yet'
  if (!isStored(backup) && step !== 'drill') return 'there is no new backup'
  if (step === 'prune-archives') return done.get('archive')?.status === 'ok' ? null : 'no archive was written'
  if (step === 'archive' && backup?.document === null) return 'the backup left no summary with its name'
  return verify === undefined || verify.status === 'ok' ? null : 'the backup could not be verified'
}

/** The exit codes of a night, the worst first. */
const WORST_FIRST: readonly ExitCode[] = [
  ...[EXIT.sigint, EXIT.sigterm, EXIT.unauthorised, EXIT.damage, EXIT.unexpected],
  ...[EXIT.locked, EXIT.usage, EXIT.stale, EXIT.partial],
]

/**
 * The exit code of a night: the worst of its steps. A later step that refuses its settings (2) is a failure (1): by then something was stored.
 * Without a new backup, what the verification of an earlier one found does not count: damage there has its own metric, and the night failed anyway.
 */
export function exitCodeOf(done: DoneSteps): ExitCode {
  const hasBackup = isStored(done.get('backup'))
  const hasStored = hasBackup || isStored(done.get('snapshot'))
  const codes = [...done].flatMap(([name, { exitCode: code }]) => {
    const isVerification = name === 'verify' || name === 'verify-older' || name === 'drill'
    const isOfEarlier = isVerification && !hasBackup && code !== null && !INTERRUPTIONS.has(code)
    return code === null || isOfEarlier ? [] : [code]
  })
  return worstOf(codes.map((code) => (hasStored && code === EXIT.usage ? EXIT.unexpected : code)))
}

/** Whether tonight's backup may be copied: the night is not worse than partial, but for damage in an older backup or archive. */
export function isToCopy(done: DoneSteps, others: readonly ExitCode[]): boolean {
  const ofTonight = new Map(done)
  if (done.get('verify-older')?.exitCode === EXIT.damage) ofTonight.delete('verify-older')
  const code = worstOf([exitCodeOf(ofTonight), ...others])
  return code === EXIT.ok || code === EXIT.partial
}

const INTERRUPTIONS: ReadonlySet<ExitCode> = new Set([EXIT.sigint, EXIT.sigterm])

/** The worst of the exit codes. */
export function worstOf(codes: readonly ExitCode[]): ExitCode {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? EXIT.ok
}

/** The status of a step that ended with an exit code. */
export function statusOf(code: ExitCode): StepStatus {
  if (code === EXIT.ok) return 'ok'
  return code === EXIT.partial ? 'partial' : 'failed'
}
