import { basename } from 'node:path'
import { type BackupProject, OpenedBackup } from '@collab-etl/backups'
import { BAG_FILES, tagFiles } from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { type Client, isNotFound, type LinkPattern } from '@collab-etl/core'
import { type EntriesFlag, type EntryMapping, mapEntries } from './entries.ts'
import type { RestoreItem } from './item.ts'
import type { RestoreJob } from './job.ts'
import { checkJournalPlace, Journal, JournalState, journalPath, type Target } from './journal.ts'
import type { RestoredBackup } from './journal-lines.ts'
import { lockJournal } from './lock.ts'
import type { RestoreOutcome } from './outcome.ts'
import { makePlan, type Plan } from './plan.ts'
import { type BackupRecords, openRecords } from './read-records.ts'
import { Restorer } from './restorer.ts'
import { collectTarget } from './service-calls.ts'
import { readTargetGroups } from './target-groups.ts'

/** A project of a backup, with the plan of what to create. */
export interface OpenedProject extends AsyncDisposable {
  /** Absolute path of the backup. */
  readonly backup: string
  readonly project: BackupProject
  readonly records: BackupRecords
  readonly plan: Plan
  readonly source: RestoredBackup
  /** Streams of the project that are incomplete in the backup. */
  readonly incomplete: readonly IncompleteStream[]
}

export interface OpenOptions {
  /** The project of the backup; optional if the backup has only one. */
  readonly pid: string | undefined
  readonly withArchived: boolean
  readonly links: readonly LinkPattern[]
}

/** Options of a restore. */
export interface RestoreOptions extends Target, Omit<RestoreJob, 'pid' | 'plan' | 'read' | 'journal' | 'groupOf'> {
  /** The task group for tasks whose group `entries` does not map; without it, they are not created. */
  readonly entry: string | undefined
  /** Keeps task groups apart. */
  readonly entries?: EntriesFlag | undefined
  /** Path of the journal. Default: beside the backup. */
  readonly journal: string | undefined
  /** Restore even if the target still contains the records of the backup, which then exist twice. */
  readonly allowSource: boolean
}

/**
 * Checks the files that a restore needs, and plans it.
 *
 * @throws DamagedBagError if a file differs from the manifest
 * @throws UsageError if the path is not a backup, or the backup cannot be restored
 */
export async function openProject(named: string, { pid, withArchived, links }: OpenOptions): Promise<OpenedProject> {
  const backup = await OpenedBackup.open(named)
  const project = chooseProject(backup, pid)
  const records = await openRecords(backup, project)
  try {
    const plan = await makePlan(records, { pid: project.pid, withArchived, links })
    addCounts(plan, project)
    const dispose = () => records[Symbol.asyncDispose]()
    const incomplete = incompleteStreams(backup, project.pid, { form: records.form, withArchived })
    const source = await sourceOf(backup)
    return { backup: backup.path, project, records, plan, source, incomplete, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await records[Symbol.asyncDispose]()
    throw error
  }
}

/** The journal of earlier runs. */
export async function readState(
  { backup, source }: OpenedProject,
  target: Target,
  journal: string | undefined,
): Promise<JournalState> {
  return (await JournalState.read(journal ?? journalPath(backup, target), { ...target, source })).state
}

export interface EntryOptions extends Pick<RestoreOptions, 'toProject' | 'entry' | 'entries' | 'signal'> {
  /** `null` without a service: names cannot be found then. */
  readonly client: Client | null
  /** The journal of earlier runs; `null` if there is none. */
  readonly state: JournalState | null
}

/**
 * Decides in which groups tasks are created; only reads.
 *
 * @throws UsageError as `mapEntries`, and if the target does not exist
 */
export function planEntries(
  { project, plan }: OpenedProject,
  { client, state, toProject, entry, entries, signal }: EntryOptions,
): Promise<EntryMapping> {
  const readTarget = async () => {
    if (client === null) throw new UsageError('--entries by-name reads the target: set --base-url')
    await checkTarget(client, toProject)
    return readTargetGroups(client, toProject, signal)
  }
  return mapEntries({
    ...{ plan, pid: project.pid, toProject, entry, entries, readTarget },
    state: state ?? new JournalState(),
  })
}

/** Creates the records that earlier runs have not created. */
export async function restoreProject(
  opened: OpenedProject,
  options: RestoreOptions,
): Promise<{ outcome: RestoreOutcome; journal: string; entries: EntryMapping }> {
  const { backup, project, records, plan, source } = opened
  const { client, toProject } = options
  await checkTarget(client, toProject)
  const path = options.journal ?? journalPath(backup, options)
  await checkJournalPlace(path)
  await using lock = await lockJournal(path)
  const { baseUrl } = options
  const owner = { baseUrl, toProject, source }
  const { state } = await JournalState.read(path, owner)
  if (toProject === project.pid && !options.allowSource && !state.isPresentKnown) {
    await refuseSource(client, toProject, plan.items)
  }
  const entries = await planEntries(opened, { ...options, state })
  await using journal = await Journal.open(path, owner, lock)
  if (entries.changes.length > 0) await journal.keepEntries(entries.changes)
  const read = ({ place }: RestoreItem) => records.read(place)
  const groups = new Map(entries.rows.map(({ group, to }) => [group.id, to]))
  const groupOf = (entryId: string) => groups.get(entryId) ?? null
  const restorer = new Restorer({ ...options, pid: project.pid, plan, journal, read, groupOf })
  return { outcome: await restorer.run(), journal: path, entries }
}

async function checkTarget(client: Client, pid: string): Promise<void> {
  try {
    await client.projects.get({ pid })
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw new UsageError(`--to-project: project ${pid} does not exist for this token`, { cause: error })
  }
}

/** Rejects the project of the backup if it still contains records of the backup, which would then exist twice. */
async function refuseSource(client: Client, pid: string, items: readonly RestoreItem[]): Promise<void> {
  const found = await heldRecord(client, pid, items)
  if (found === null) return
  throw new UsageError(
    `--to-project: project ${pid} is the source of the backup and still contains ${found}; every record would exist twice. ` +
      'Restore into an empty project, or allow this with --allow-source',
  )
}

/** A record of the backup that the project still contains, for a message; `null` if there is none. */
async function heldRecord(client: Client, pid: string, items: readonly RestoreItem[]): Promise<string | null> {
  for (const kind of ['page', 'task'] as const) {
    const ids = new Set(items.filter((item) => item.kind === kind).map(({ id }) => id))
    if (ids.size === 0) continue
    const [held] = await collectTarget(client, pid, kind, ({ id }) => (ids.has(id) ? id : null))
    if (held !== undefined) return `its ${kind} ${held}`
  }
  for (const { id } of items.filter(({ kind }) => kind === 'post')) {
    try {
      await client.posts.get({ pid, post_id: id })
      return `its post ${id}`
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  return null
}

async function sourceOf({ path }: OpenedBackup): Promise<RestoredBackup> {
  const manifest = (await tagFiles(path)).find((file) => file.path === BAG_FILES.manifest)
  return { name: basename(path), manifest: manifest?.sha256 ?? '' }
}

/** A stream that was not read completely when the backup was made. */
export interface IncompleteStream {
  readonly stream: string
  readonly status: string
}

function incompleteStreams(
  { manifest: { scopes = [] } }: OpenedBackup,
  pid: string,
  { form, withArchived }: { form: BackupRecords['form']; withArchived: boolean },
): IncompleteStream[] {
  const ofTasks = form === 'jsonl' ? ['tasks', ...(withArchived ? ['archived_tasks'] : [])] : []
  const streams = ['pages', 'posts', ...ofTasks]
  return scopes
    .filter((scope) => scope.pid === pid && streams.includes(scope.stream))
    .filter(({ status }) => status !== 'complete' && status !== 'carried')
    .map(({ stream, status }) => ({ stream, status }))
}

/** Adds the counts of records that the plan does not read, from the backup manifest. */
function addCounts({ unrestorable }: Plan, { counts, jsonl }: BackupProject): void {
  unrestorable.post_comments = counts?.['post_comments'] ?? 0
  unrestorable.events = jsonl?.counts?.['events'] ?? 0
  unrestorable.files = jsonl?.counts?.['files'] ?? 0
  unrestorable.webhooks = jsonl?.counts?.['webhooks'] ?? 0
}

/** Number of projects named in a message. */
const NAMED = 10

/**
 * The project to restore: the only one, or the one with `pid`.
 *
 * @throws UsageError if there is no such project, or `pid` is needed
 */
function chooseProject(backup: OpenedBackup, pid: string | undefined): BackupProject {
  const { projects } = backup.manifest
  const [only] = projects
  if (pid === undefined && only && projects.length === 1) return only
  const found = projects.find((project) => project.pid === pid)
  if (pid !== undefined && found) return found
  const named = projects.slice(0, NAMED).map((project) => `${project.pid} (${project.name ?? 'untitled'})`)
  const more = projects.length > NAMED ? `, and ${projects.length - NAMED} more` : ''
  const there = projects.length === 0 ? 'it has no projects' : `it has ${named.join(', ')}${more}`
  throw new UsageError(
    pid === undefined
      ? `${backup.path} has ${projects.length} projects; choose one with --project PID; ${there}`
      : `--project: ${backup.path} has no project ${pid}; ${there}`,
  )
}
