import { hash } from 'node:crypto'
import {
  type BackupReader,
  type MarkdownFile,
  markdownRecord,
  type RecordTable,
  readMarkdownFile,
} from '@collab-etl/backups/read'
import { type BagFile, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import type { SourceRecord } from '@collab-etl/contract/source'
import { TASK_FOLDER } from '@collab-etl/documents'
import { MarkdownLinks } from './markdown-links.ts'

/** A Markdown file that is shown as a page or post. */
interface Shown {
  /** Relative to the backup. */
  readonly path: string
  readonly pid: string
  readonly kind: 'page' | 'post'
  readonly id: string
}

/** Files that are derived from others. */
const INDEX = /\/README\.md$/

/**
 * The Markdown files of a backup as pages and posts, and as tasks if each has a file. Lists are shown as pages, and comments as the end of a text:
 * they are Markdown that was made for reading, from which no record can be read back for certain.
 */
export async function markdownTexts(
  backup: BackupReader,
  signal: AbortSignal,
): Promise<(table: RecordTable) => AsyncGenerator<SourceRecord, void, undefined>> {
  const files: BagFile[] = []
  const areTasksRecords = backup.holds('markdown', 'tasks')
  for await (const file of backup.files('markdown/')) {
    const isOfTasks = areTasksRecords && file.path.split('/')[3] === TASK_FOLDER
    if (file.path.endsWith('.md') && !INDEX.test(file.path) && !isOfTasks) files.push(file)
  }
  await backup.check(files, () => signal.throwIfAborted())
  const folders = new Map(backup.manifest.projects.map(({ pid, folder }) => [`${PAYLOAD_FOLDER}/${folder}`, pid]))
  const links = new MarkdownLinks(folders, backup.manifest.links === 'wiki')
  const shown: Shown[] = []
  for (const { path } of files) {
    signal.throwIfAborted()
    const pid = folders.get(path.split('/').slice(0, 3).join('/'))
    if (pid === undefined) continue
    const one = { path, pid, ...keyOf((await readMarkdownFile(backup.path, path)).about, path) }
    links.add(one)
    shown.push(one)
  }
  // All places that their links lead to are known.
  return async function* (table) {
    if (table === 'projects') yield* backup.records(table, { format: 'markdown' })
    if (table === 'tasks' && areTasksRecords) yield* taskRecords(backup, links)
    for (const one of shown) if (`${one.kind}s` === table) yield await shownRecord(backup, one, links)
  }
}

/** Tasks with a file each. The end of their descriptions are their comments. */
async function* taskRecords(backup: BackupReader, links: MarkdownLinks): AsyncGenerator<SourceRecord, void, undefined> {
  const folders = new Map(backup.manifest.projects.map(({ pid, folder }) => [pid, folder]))
  for await (const { appendix, ...record } of backup.records('tasks', { format: 'markdown' })) {
    const { row } = record
    // Links are the same from every file of the folder.
    const path = `${PAYLOAD_FOLDER}/${folders.get(String(row['pid']))}/tasks/notes/any.md`
    const description = await links.ofRecords(`${row['description']}${appendix?.rest ?? ''}`, path)
    yield { ...record, row: { ...row, description } }
  }
}

async function shownRecord(
  backup: BackupReader,
  { path, pid, kind, id }: Shown,
  links: MarkdownLinks,
): Promise<SourceRecord> {
  const file = await readMarkdownFile(backup.path, path)
  const text = await links.ofRecords(file.content + file.closing + file.rest, path)
  const { row, lists } = markdownRecord({ ...file, content: text, about: { ...file.about, pid, kind, id } }, pid)
  const name = row['name'] || isRecord(file.about) ? row['name'] : path.slice(path.lastIndexOf('/') + 1, -'.md'.length)
  return { table: `${kind}s`, row: { ...row, name }, lists }
}

/** The record of a file. A list is no record: its page gets an id that no other file has. */
function keyOf(about: MarkdownFile['about'], path: string): Pick<Shown, 'kind' | 'id'> {
  return isRecord(about) ? about : { kind: 'page', id: `list-${hash('sha256', path).slice(0, 16)}` }
}

function isRecord(about: MarkdownFile['about']): about is Pick<Shown, 'kind' | 'id'> & MarkdownFile['about'] {
  const { kind, id } = about
  return (kind === 'page' || kind === 'post') && typeof id === 'string'
}
