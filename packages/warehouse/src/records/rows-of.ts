import type { Comment, Event, Received } from '@collab-etl/contract'
import type { ConversionIssue, RecordKind, RecordKinds, Scope, StreamBatch } from '@collab-etl/contract/streams'
import { eventAttendees, events } from '../tables/events.ts'
import {
  commentFiles,
  fileComments,
  files,
  fileWatchers,
  pages,
  pageWatchers,
  postComments,
  posts,
  postWatchers,
  taskComments,
} from '../tables/pages-posts-files.ts'
import { type Cell, LEFT_OUT, type Table } from '../tables/table.ts'
import { entries } from '../tables/tasks.ts'
import { teams } from '../tables/teams.ts'
import { webhooks } from '../tables/webhooks.ts'
import { memberRows, otherProject, projectRows, referenceExtra, teamProjectRows, userOf } from './project-rows.ts'
import { issuesOf, isUncertain, type RecordIssues } from './record-issues.ts'
import { RowWriter, type TableRows } from './row-writer.ts'
import { newShown, ScopeMemory, type Shown } from './scope-memory.ts'
import { taskRows, writeEntryRow } from './task-rows.ts'

/** The rows of a batch, table by table, and the values that could not be stored exactly. */
export interface BatchRows {
  readonly tables: readonly TableRows[]
  readonly losses: readonly ConversionIssue[]
  /** Indices of the records that are not stored exactly as they were sent. */
  readonly inexact: ReadonlySet<number>
  /** Indices of the records of which a conversion issue is listed. */
  readonly withIssues: ReadonlySet<number>
  /** What the records show of others, one by one. */
  readonly shown: readonly Shown[]
}

/** Kinds that become rows of resource tables; the others are ids that are known, were not found or were read. */
type RowKind = Exclude<
  RecordKind,
  'known_post' | 'known_file' | 'not_found_post' | 'not_found_file' | 'task_comments_read'
>

interface Mapping<K extends RowKind> {
  readonly write: (rows: RowWriter, record: RecordKinds[K]) => unknown
  /** The record's key as losses name it. */
  readonly key: (record: RecordKinds[K]) => string
}

/** How records become rows, by kind. A new kind is one entry here and its table in `tables/`. */
const MAPPINGS: { readonly [K in RowKind]: Mapping<K> } = {
  project: { write: projectRows, key: (record) => record.pid },
  member: { write: memberRows, key: (record) => record.uid },
  entry: {
    write: (rows, { watched, ...entry }) => {
      // it is of the token's user alone, and has no column
      const own = watched === undefined || watched === null ? entry.extra : { ...entry.extra, watched }
      rows.write(
        entries,
        [rows.pid, rows.key(entry.entry_id, 'entry_id')],
        entry,
        rows.withOtherPid(own ?? undefined, entry.pid),
      )
    },
    key: (record) => record.entry_id,
  },
  task: { write: taskRows, key: (record) => record.tid },
  archived_task: { write: taskRows, key: (record) => record.tid },
  task_comment: {
    write: (rows, record) => commentRows(rows, taskComments, rows.key(record.tid, 'tid'), record.comment),
    key: (record) => `${record.tid} ${record.comment.cid}`,
  },
  page: {
    write: (rows, page) => {
      const cells = rows.write(pages, [rows.pid], page, rows.withOtherPid(page.extra, page.pid))
      rows.users(pageWatchers, page.watchers, cells.slice(0, pages.key.length))
    },
    key: (record) => record.page_id,
  },
  post: {
    write: (rows, post) => {
      const cells = rows.write(posts, [rows.pid], post, rows.withOtherPid(post.extra, post.pid))
      rows.users(postWatchers, post.watchers, cells.slice(0, posts.key.length))
    },
    key: (record) => record.post_id,
  },
  post_comment: {
    write: (rows, record) => commentRows(rows, postComments, rows.key(record.post_id, 'post_id'), record.comment),
    key: (record) => `${record.post_id} ${record.comment.cid}`,
  },
  event: { write: eventRows, key: (record) => `${record.event_id} ${record.start}` },
  file: {
    write: (rows, file) => {
      const extra = rows.withSizeText(rows.withOtherPid(file.extra, file.pid), file.size)
      const cells = rows.write(files, [rows.pid], file, extra)
      rows.users(fileWatchers, file.watchers, cells.slice(0, files.key.length))
    },
    key: (record) => record.fid,
  },
  file_comment: {
    write: (rows, record) => commentRows(rows, fileComments, rows.key(record.fid, 'fid'), record.comment),
    key: (record) => `${record.fid} ${record.comment.cid}`,
  },
  webhook: {
    write: (rows, hook) => rows.write(webhooks, [], hook, rows.withOtherPid(hook.extra, hook.pid)),
    key: (record) => record.wid,
  },
  team: {
    write: (rows, { create_by, ...team }) =>
      rows.write(teams, [], { ...team, created_by: team.created_by ?? create_by }, team.extra),
    key: (record) => record.team_id,
  },
  user: { write: (rows, user) => rows.user(user, ''), key: (record) => record.uid },
  // what a team says of its members beside the user has no table
  team_member: {
    write: (rows, { member }) => rows.user(userOf(member), ''),
    key: (record) => `${record.team_id} ${record.member.uid}`,
  },
  team_project: { write: teamProjectRows, key: (record) => record.project.pid },
}

/** An event whose start is not a valid time has no key: it is not stored, but listed whole as a conversion issue. */
function eventRows(rows: RowWriter, event: Received<typeof Event>): void {
  const startsAt = rows.instant(event.start, 'start')
  if (startsAt === null) {
    rows.lose('', 'unkeyed', event)
    return
  }
  const key = [rows.pid, rows.key(event.event_id, 'event_id'), startsAt]
  const project = otherProject(rows, event.project)
  const cells = rows.cells(events, key, event)
  rows.setExtra(cells, event.extra, { project: referenceExtra(rows, event.project) })
  rows.row(events, cells, project && { project })
  rows.users(eventAttendees, event.attendees, key)
}

/**
 * The rows of a batch; none for kinds that are ids. Pure but for `memory`: with one for all batches of a scope, users and task groups
 * that were already written with the same values are not written again.
 * @example const { tables, losses } = rowsOf({ pid, stream: 'tasks' }, { kind: 'task', records, losses: [] })
 */
export function rowsOf(scope: Scope, batch: StreamBatch, memory: ScopeMemory = new ScopeMemory()): BatchRows {
  const writer = new RowWriter(scope.pid, memory)
  const shown: Shown[] = []
  const withIssues = new Set<number>()
  if (isRowBatch(batch)) {
    const inexactKeys = new Set(batch.losses.filter(({ kind }) => isUncertain(kind)).map((loss) => loss.recordKey))
    writeAll(writer, batch.kind, batch.records, { inexactKeys, issues: issuesOf(batch.losses), withIssues, shown })
  }
  return { tables: writer.tables, losses: writer.losses, inexact: writer.inexact, withIssues, shown }
}

/** The rows of what a record shows that was not parsed: its task group, and users who were not written before. */
export function rowsShown(
  pid: string | null,
  { users, entry }: Pick<Shown, 'users' | 'entry'>,
  memory: ScopeMemory,
): BatchRows {
  const writer = new RowWriter(pid, memory)
  if (entry !== null) writeEntryRow(writer, entry[0], { entry_name: entry[1] })
  for (const { user } of users) writer.user(user, '')
  return { tables: writer.tables, losses: [], inexact: writer.inexact, withIssues: NONE, shown: [] }
}

const NONE: ReadonlySet<number> = new Set()

/** The rows as plain objects by column, `extra` included. */
export function rowObjects({ table, rows }: TableRows): Record<string, Cell>[] {
  const names = [...table.columns.map((column) => column.name), 'extra']
  return rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null])))
}

type RowBatch = Extract<StreamBatch, { kind: RowKind }>

function isRowBatch(batch: StreamBatch): batch is RowBatch {
  return Object.hasOwn(MAPPINGS, batch.kind)
}

function writeAll<K extends RowKind>(
  writer: RowWriter,
  kind: K,
  records: readonly RecordKinds[NoInfer<K>][],
  {
    inexactKeys,
    issues,
    withIssues,
    shown,
  }: {
    inexactKeys: ReadonlySet<string>
    issues: ReadonlyMap<string, RecordIssues>
    withIssues: Set<number>
    shown: Shown[]
  },
): void {
  const { write, key }: Mapping<K> = MAPPINGS[kind]
  writer.isArchived = kind === 'archived_task'
  for (const [index, record] of records.entries()) {
    const recordKey = key(record)
    writer.begin(index, recordKey, issues.get(recordKey))
    if (inexactKeys.has(recordKey)) writer.inexact.add(index)
    writer.shown = newShown()
    shown.push(writer.shown)
    const known = writer.losses.length
    write(writer, record)
    if (issues.has(recordKey) || writer.losses.length > known) withIssues.add(index)
  }
}

/** Writes a comment into `table`, under the record whose id is `parent`, and the files attached to it. */
function commentRows(rows: RowWriter, table: Table, parent: string, comment: Received<typeof Comment>): void {
  const cells = rows.write(table, [rows.pid, parent], comment, comment.extra)
  const kind = commentFiles.parent?.as?.[table.name]?.fixed['parent_kind'] ?? ''
  const key = [rows.pid, kind, ...cells.slice(1, table.key.length)]
  // an unknown list: the stored values of these files stay
  const unknown: Cell = rows.isUnknownList('files') ? LEFT_OUT : null
  const guard = rows.newList()
  for (const [index, file] of comment.files.entries()) {
    rows.within('files', index)
    const fid = rows.key(file.fid, 'fid')
    if (!guard.isNew(fid, file)) continue
    rows.write(commentFiles, [...key, fid], file, rows.withSizeText(rows.withOtherPid(file.extra, file.pid), file.size))
  }
  const bare = commentFiles.columns.slice(commentFiles.key.length).map(() => unknown)
  for (const [index, sent] of comment.fids.entries()) {
    rows.within('fids', index)
    if (sent === '') {
      rows.lose('', 'unkeyed', sent)
      continue
    }
    const fid = rows.key(sent, '')
    // most are in both lists, and a second mention adds nothing
    if (!guard.has(fid)) rows.row(commentFiles, [...key, guard.add(fid), ...bare, unknown])
  }
  rows.within('')
}
