import { UsageError } from '@collab-etl/cli'
import { type Client, isNotFound, type LinkPattern } from '@collab-etl/core'
import { OpenedBackup } from '../diff/opened-backup.ts'
import type { Assumption } from './assume.ts'
import { type BackupProject, chooseProject } from './backup-project.ts'
import type { RestoreItem } from './item.ts'
import { Journal, JournalState, journalPath, type Target } from './journal.ts'
import { lockJournal } from './lock.ts'
import { makePlan, type Plan } from './plan.ts'
import { type BackupRecords, openRecords } from './read-records.ts'
import { type RestoreOutcome, Restorer } from './restorer.ts'

/** A project of a backup, with what is to be created of it. */
export interface OpenedProject extends AsyncDisposable {
  /** Absolute path of the backup. */
  readonly backup: string
  readonly project: BackupProject
  readonly records: BackupRecords
  readonly plan: Plan
}

export interface OpenOptions {
  /** The project of the backup; it need not be named where there is but one. */
  readonly pid: string | undefined
  readonly withArchived: boolean
  readonly links: readonly LinkPattern[]
}

/** How to restore. */
export interface RestoreOptions extends Target {
  readonly client: Client
  /** The group that tasks are created in; without it they are not. */
  readonly entry: string | undefined
  readonly provenance: boolean
  readonly assumptions: readonly Assumption[]
  readonly settleMs: number
  /** `undefined`: beside the backup. */
  readonly journal: string | undefined
  readonly signal: AbortSignal
  readonly onItem: (done: number, total: number) => void
}

/**
 * Checks every file that is needed, and reads what there is to restore.
 * @throws DamagedBackup
 * @throws UsageError for what is no backup, or none that can be restored
 */
export async function openProject(named: string, { pid, withArchived, links }: OpenOptions): Promise<OpenedProject> {
  const backup = await OpenedBackup.open(named)
  const project = chooseProject(backup, pid)
  const records = await openRecords(backup, project)
  try {
    const plan = await makePlan(records, { pid: project.pid, withArchived, links })
    addCounts(plan, project)
    const dispose = () => records[Symbol.asyncDispose]()
    return { backup: backup.path, project, records, plan, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await records[Symbol.asyncDispose]()
    throw error
  }
}

/** What an earlier run has done. */
export async function readState(
  { backup }: OpenedProject,
  target: Target,
  journal: string | undefined,
): Promise<JournalState> {
  return (await JournalState.read(journal ?? journalPath(backup, target), target)).state
}

/** Creates what is not created yet. */
export async function restoreProject(
  { backup, project, records, plan }: OpenedProject,
  options: RestoreOptions,
): Promise<{ outcome: RestoreOutcome; journal: string }> {
  const { client, toProject } = options
  await checkTarget(client, toProject)
  const path = options.journal ?? journalPath(backup, options)
  await using _lock = await lockJournal(path)
  await using journal = await Journal.open(path, options)
  const read = ({ place }: RestoreItem) => records.read(place)
  const restorer = new Restorer({ ...options, pid: project.pid, plan, journal, read })
  return { outcome: await restorer.run(), journal: path }
}

async function checkTarget(client: Client, pid: string): Promise<void> {
  try {
    await client.projects.get({ pid })
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw new UsageError(`--to-project: the token sees no project ${pid}`, { cause: error })
  }
}

/** What the certificate counts and no plan reads. */
function addCounts({ notCarried }: Plan, { counts, jsonl }: BackupProject): void {
  notCarried.post_comments = counts?.['post_comments'] ?? 0
  notCarried.events = jsonl?.counts?.['events'] ?? 0
  notCarried.files = jsonl?.counts?.['files'] ?? 0
  notCarried.webhooks = jsonl?.counts?.['webhooks'] ?? 0
}
