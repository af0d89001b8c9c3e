import { basename, resolve } from 'node:path'
import type { BackupProject } from '@collab-etl/backups'
import { BackupReader } from '@collab-etl/backups/read'
import { formatNumber, UsageError } from '@collab-etl/cli'
import { type Client, isNotFound, type LinkPattern } from '@collab-etl/core'
import { assumedLines } from './assume.ts'
import { type CheckedMapping, type EntriesFlag, type EntryRow, givenGroups, mapEntries } from './entries.ts'
import { FURTHER, type Possible } from './further/kinds.ts'
import { findPossible, NOTHING_FURTHER } from './further/offered.ts'
import type { RestoreItem } from './item.ts'
import { checkJournalPlace, Journal, journalPath, readJournal, type Target } from './journal.ts'
import { JournalState } from './journal-state.ts'
import { lockJournal } from './lock.ts'
import type { RestoreOutcome } from './outcome.ts'
import { makePlan, type Plan } from './plan.ts'
import { type BackupRecords, recordsOf } from './records.ts'
import type { NewGroup, RestoreRequest } from './request.ts'
import { Restorer } from './restorer.ts'
import { checkTarget, readContents, type TargetContents } from './target.ts'
import { listedGroups, readTargetGroups, unnamedGroups } from './target-groups.ts'

/** A project of a backup, with the plan of what to create. */
export interface OpenedProject {
  /** Absolute path of the backup. */
  readonly backup: string
  readonly project: BackupProject
  readonly records: BackupRecords
  readonly plan: Plan
  /** Of the streams that are restored, those that are incomplete in the backup. */
  readonly incomplete: (possible: Possible) => readonly IncompleteStream[]
}

export interface OpenOptions {
  /** Where an archive was unpacked; `null`: it is no archive. */
  readonly unpacked?: string | null
  /** The project of the backup; optional if the backup has only one. */
  readonly pid: string | undefined
  readonly withArchived: boolean
  readonly links: readonly LinkPattern[]
}

/** What decides, before anything is created, what a restore would do. */
export interface PrepareOptions extends Pick<RestoreRequest, 'toProject' | 'assumptions' | 'signal'> {
  /** `null`: no request is sent, and the journal is not known. */
  readonly service: { readonly client: Client; readonly baseUrl: string } | null
  /** The task group for tasks whose group `entries` does not map; without it, they are not created. */
  readonly entry: string | undefined
  /** Keeps task groups apart. */
  readonly entries?: EntriesFlag | undefined
  /** Path of the journal. Default: in the directory of the backups. */
  readonly journal: string | undefined
  /** Create everything once more after a finished restore, or although the target has records of the backup. */
  readonly again: boolean
  /** Restore even if the target still contains the records of the backup, which then exist twice. */
  readonly allowSource: boolean
}

type RequestOptions = Pick<
  RestoreRequest,
  'client' | 'toProject' | 'provenance' | 'settleMs' | 'signal' | 'onItem' | 'onReadBack'
>

/** Options of a restore. */
export interface RestoreOptions extends RequestOptions, Omit<PrepareOptions, 'service'> {
  readonly baseUrl: string
  /** Called before the first request that creates something. */
  readonly onPrepared: (preparation: Preparation) => void
}

/** What a restore would do. */
export interface Preparation {
  /** Path of the journal; `null` without a service. */
  readonly journal: string | null
  readonly state: JournalState
  /** `null` if the journal has them, or without a service. */
  readonly contents: TargetContents | null
  readonly entries: CheckedMapping
  /** What the service offers to restore beyond the documented operations. */
  readonly possible: Possible
}

/**
 * Checks the files that a restore needs, and plans it.
 *
 * @throws DamagedBagError if a file differs from the manifest
 * @throws UsageError if the path is not a backup, or the backup cannot be restored
 */
export async function openProject(named: string, options: OpenOptions): Promise<OpenedProject> {
  const { unpacked = null, pid, withArchived, links } = options
  const backup = await BackupReader.open(unpacked ?? named)
  const project = chooseProject(backup, pid)
  const records = recordsOf(backup, project)
  const plan = await makePlan(records, { pid: project.pid, withArchived, links })
  addCounts(plan, project)
  const { form } = records
  const incomplete = (possible: Possible) => incompleteStreams(backup, project.pid, { form, withArchived, possible })
  return { backup: unpacked === null ? backup.path : resolve(named), project, records, plan, incomplete }
}

/**
 * Decides what a restore would do. It only reads, and refuses what a restore refuses.
 *
 * @throws UsageError if the token may not create in the target, the target has the records already, the journal is damaged or of
 *   another restore, or the task groups cannot be mapped
 */
export async function prepareRestore(opened: OpenedProject, options: PrepareOptions): Promise<Preparation> {
  const { project, plan } = opened
  const { service, toProject, signal } = options
  if (service === null) {
    const state = new JournalState()
    const entries = await mapEntries({ ...options, plan, pid: project.pid, state, canCreate: false, readTarget: null })
    return { journal: null, state, contents: null, entries: { ...entries, unnamed: null }, possible: NOTHING_FURTHER }
  }
  const { client } = service
  await checkTarget(client, toProject)
  const { path, owner } = journalOf(opened, { ...options, baseUrl: service.baseUrl })
  await checkJournalPlace(path)
  const { state } = await readJournal(path, owner)
  if (options.again) repeat(state, path)
  for (const line of assumedLines(state, options.assumptions)) state.add(line)
  const contents = state.isPresentKnown ? null : await readContents(client, toProject, plan.items, readerOf(opened))
  if (contents !== null) await refuseTwice(opened, client, options, contents, path)
  const possible =
    opened.records.form === 'csv'
      ? NOTHING_FURTHER
      : await findPossible(client, toProject, { tid: contents?.present.task[0] ?? state.anyTask, signal })
  const canCreate = possible.kinds.has('group')
  const readTarget = async () => {
    const groups = canCreate ? listedGroups(client, toProject, signal) : readTargetGroups(client, toProject, signal)
    return (await groups).byName
  }
  const entries = await mapEntries({ ...options, plan, pid: project.pid, state, canCreate, readTarget })
  const given = givenGroups(entries)
  const unnamed = await unnamedGroups(client, toProject, { wanted: given, isListed: canCreate, signal })
  return { journal: path, state, contents, entries: { ...entries, unnamed }, possible }
}

/** Creates the records that earlier runs have not created. */
export async function restoreProject(
  opened: OpenedProject,
  options: RestoreOptions,
): Promise<{ outcome: RestoreOutcome; journal: string; entries: CheckedMapping; possible: Possible }> {
  const { client, baseUrl } = options
  const { path, owner } = journalOf(opened, options)
  await checkJournalPlace(path)
  await using lock = await lockJournal(path)
  const preparation = await prepareRestore(opened, { ...options, service: { client, baseUrl } })
  const { contents, entries, possible } = preparation
  options.onPrepared(preparation)
  await using journal = await Journal.open(path, owner, lock)
  if (options.again && !journal.state.isEmpty) await journal.again()
  if (entries.changes.length > 0) await journal.keepEntries(entries.changes)
  const rows = new Map(entries.rows.map((row) => [row.group.id, row]))
  const restorer = new Restorer({
    ...options,
    plan: opened.plan,
    backupName: basename(opened.backup),
    journal,
    read: readerOf(opened),
    possible,
    groupsToCreate: groupsToCreate(entries.rows),
    groupOf: (entryId) => newGroup(rows.get(entryId), journal.state),
    unnamed: entries.unnamed ?? new Set(),
    present: contents?.present ?? null,
  })
  const outcome = await restorer.run()
  const created = entries.rows.map((row) => {
    const group = newGroup(row, journal.state)
    return group.is === 'known' ? { ...row, to: group.id } : row
  })
  return { outcome, journal: path, entries: { ...entries, rows: created }, possible }
}

/** In the order of the list of groups. */
function groupsToCreate(rows: readonly EntryRow[]): RestoreRequest['groupsToCreate'] {
  const place = ({ group }: EntryRow) => group.position ?? Number.POSITIVE_INFINITY
  const created = rows.filter(({ by }) => by === 'created')
  const inOrder = created.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)))
  return inOrder.map(({ group: { id, names } }) => ({ id, name: [...names][0] ?? '' }))
}

function newGroup(row: EntryRow | undefined, state: JournalState): NewGroup {
  const isCreated = row?.by === 'created'
  const created = isCreated ? state.of({ call: 'group', id: row.group.id }) : undefined
  const id = isCreated ? (created?.state === 'done' ? created.newId : null) : (row?.to ?? null)
  return id === null ? { is: isCreated ? 'to_create' : 'none' } : { is: 'known', id }
}

function readerOf({ records }: OpenedProject): RestoreRequest['read'] {
  return ({ place }) => records.read(place)
}

function journalOf(
  { backup, project }: OpenedProject,
  { journal, baseUrl, toProject }: Target & { journal?: string | undefined },
) {
  const owner = { baseUrl, toProject, fromProject: project.pid }
  return { path: journal ?? journalPath(backup, owner), owner }
}

/** Resets the state, as if the journal were new. Refused while the restore is unfinished: repeating it would leave incomplete copies. */
function repeat(state: JournalState, path: string): void {
  if (state.isEmpty) return
  if (state.finished === null) {
    throw new UsageError(
      `--again: the restore recorded in ${path} is not finished; run it without --again first to create what is missing`,
    )
  }
  state.add({ again: true, at: '' })
}

/** Number of records named in a message. */
const HELD_NAMED = 3

/** Rejects a target that has records of the backup, which would then exist twice. */
async function refuseTwice(
  { plan, project }: OpenedProject,
  client: Client,
  { toProject, again, allowSource }: PrepareOptions,
  { held }: TargetContents,
  journal: string,
): Promise<void> {
  const isSource = toProject === project.pid
  if (again || (isSource && allowSource)) return
  const [first = isSource ? await heldPost(client, toProject, plan.items) : undefined] = held
  if (first === undefined) return
  if (isSource) {
    throw new UsageError(
      `--to-project: project ${toProject} is the source of the backup and still contains its ${first}; every record would exist twice. ` +
        'Restore into an empty project, or allow this with --allow-source',
    )
  }
  const named = `${held.slice(0, HELD_NAMED).join(', ')}${held.length > HELD_NAMED ? ', …' : ''}`
  throw new UsageError(
    `--to-project: project ${toProject} already has ${formatNumber(held.length, 'record')} of this backup (${named}), and ${journal} ` +
      `does not record a restore; give the journal of that restore with --journal, or create them a second time with --again`,
  )
}

/** A post of the backup that its project still contains; the service lists no posts, but returns them by id. */
async function heldPost(client: Client, pid: string, items: readonly RestoreItem[]): Promise<string | undefined> {
  for (const { id } of items.filter(({ kind }) => kind === 'post')) {
    try {
      await client.posts.get({ pid, post_id: id })
      return `post ${id}`
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  return undefined
}

/** A stream that was not read completely when the backup was made. */
export interface IncompleteStream {
  readonly stream: string
  readonly status: string
}

function incompleteStreams(
  { manifest: { scopes = [] } }: BackupReader,
  pid: string,
  { form, withArchived, possible }: { form: BackupRecords['form']; withArchived: boolean; possible: Possible },
): IncompleteStream[] {
  const ofTasks = form === 'jsonl' ? ['tasks', ...(withArchived ? ['archived_tasks'] : [])] : []
  const further = [...possible.kinds].flatMap((kind) => FURTHER[kind].stream ?? [])
  const streams = ['pages', 'posts', ...ofTasks, ...further]
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
function chooseProject(backup: BackupReader, pid: string | undefined): BackupProject {
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
