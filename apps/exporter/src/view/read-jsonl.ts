import { join } from 'node:path'
import type { BackupProject, OpenedBackup } from '@collab-etl/backups'
import { type BagFile, linesOf, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import {
  Comment,
  Event,
  File,
  Page,
  Post,
  ProjectDetail,
  ProjectListItem,
  type Resource,
  Task,
} from '@collab-etl/contract'
import { parseExactJson } from '@collab-etl/contract/exact-json'
import type { StreamBatch, StreamName } from '@collab-etl/contract/streams'
import { readerOf } from '@collab-etl/core'
import type { RecordFile } from '../jsonl/resources.ts'
import { ProjectSpool } from '../source/project-spool.ts'
import type { SpooledRows } from '../source/spooled-rows.ts'
import type { Reading } from './recorded-source.ts'

/** Lines that become rows at once. */
const LINES_AT_ONCE = 200

/** A line of a file, parsed. */
type Line = Readonly<Record<string, unknown>>

type Kind = StreamBatch['kind']

/** The records of some lines, by kind. */
type Records = readonly (readonly [kind: Kind, records: readonly unknown[]])[]

interface FileForm {
  readonly stream: StreamName
  readonly read: (lines: readonly Line[]) => Records
}

/** The files of a project whose records are shown, and the stream that each was written from. */
const FORMS: Readonly<Partial<Record<RecordFile, FileForm>>> = {
  project: { stream: 'projects', read: (lines) => [['project', lines.map(projectOf)]] },
  tasks: { stream: 'tasks', read: listOf('task', Task) },
  // backups have the completion time where it is known; the list has not
  archived_tasks: { stream: 'archived_tasks', read: listOf('archived_task', Task) },
  pages: { stream: 'pages', read: listOf('page', Page) },
  posts: { stream: 'posts', read: withComments('post', Post, 'post_id', 'post_comment') },
  events: { stream: 'events', read: listOf('event', Event) },
  files: { stream: 'files', read: withComments('file', File, 'fid', 'file_comment') },
}

/** Reads the JSON lines of all projects of a backup: each line becomes the rows that a snapshot stores of the record. */
export async function readJsonl(backup: OpenedBackup, rows: SpooledRows, { signal, onPart }: Reading): Promise<void> {
  const files: BagFile[] = []
  for await (const file of backup.files('jsonl/')) files.push(file)
  await backup.check(files, () => signal.throwIfAborted())
  const paths = new Set(files.map(({ path }) => path))
  const { projects } = backup.manifest
  for (const [index, project] of projects.entries()) {
    await readProject(backup, project, paths, rows, signal)
    onPart(index + 1, projects.length)
  }
}

async function readProject(
  backup: OpenedBackup,
  { pid, jsonl }: BackupProject,
  paths: ReadonlySet<string>,
  rows: SpooledRows,
  signal: AbortSignal,
): Promise<void> {
  const all = Object.values(FORMS).map(({ stream }) => stream)
  const sink = new ProjectSpool(rows.spool, { read: all, given: all, allUsers: true }, (scopes) => {
    for (const scope of scopes) rows.take(pid, scope)
  })
  for (const [name, { stream, read }] of Object.entries(FORMS)) {
    const path = `${PAYLOAD_FOLDER}/${jsonl?.folder}/${name}.jsonl`
    if (!paths.has(path)) continue
    const scope = { pid, stream }
    for await (const lines of linesIn(join(backup.path, path))) {
      signal.throwIfAborted()
      for (const [kind, records] of read(lines)) {
        // Conversion issues are those of the first reading: a value that was left out then is NULL now.
        await sink.write(scope, { kind, records, losses: [] } as unknown as StreamBatch) // `kind` says which records these are
      }
    }
    const at = new Date(0)
    const counts = { pages: 1, read: 0, requests: 0, bytes: 0, startedAt: at, finishedAt: at }
    await sink.end({ scope, status: 'complete', ...counts })
  }
  await sink.finish()
}

async function* linesIn(path: string): AsyncGenerator<readonly Line[], void, undefined> {
  let lines: Line[] = []
  for await (const line of linesOf(path)) {
    lines.push(parseExactJson(line) as Line) // checked against the manifest
    if (lines.length < LINES_AT_ONCE) continue
    yield lines
    lines = []
  }
  if (lines.length > 0) yield lines
}

function listOf(kind: Kind, resource: Resource): FileForm['read'] {
  return (lines) => [[kind, lines.map((line) => recordOf(resource, line))]]
}

/** Lines of records beside their comments. */
function withComments(kind: 'post' | 'file', resource: Resource, id: string, commentKind: Kind): FileForm['read'] {
  return (lines) => [
    [kind, lines.map((line) => recordOf(resource, line[kind]))],
    [
      commentKind,
      lines.flatMap((line) => {
        const comments: readonly unknown[] = Array.isArray(line['comments']) ? line['comments'] : []
        const parent = (line[kind] as Line)[id] // `recordOf` has read it
        return comments.map((comment) => ({ [id]: parent, comment: recordOf(Comment, comment) }))
      }),
    ],
  ]
}

/** A line has the fields of the detail, then those that only the list of projects has. */
function projectOf(line: Line): unknown {
  const isListed = ([name]: readonly [string, unknown]) =>
    name === 'pid' || (name in ProjectListItem.properties && !(name in ProjectDetail.properties))
  const listed = Object.fromEntries(Object.entries(line).filter(isListed))
  const rest = Object.fromEntries(Object.entries(line).filter((entry) => entry[0] === 'pid' || !isListed(entry)))
  return { pid: line['pid'], listed: recordOf(ProjectListItem, listed), detail: recordOf(ProjectDetail, rest) }
}

/** @throws DecodeError if a line is not such a record */
function recordOf(resource: Resource, value: unknown): unknown {
  return readerOf(resource).read(value, [])
}
