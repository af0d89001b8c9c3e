import { hash } from 'node:crypto'
import { type MarkdownFile, type OpenedBackup, readMarkdownFile } from '@collab-etl/backups'
import { type BagFile, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import type { SourceRow } from '../source/backup-source.ts'
import type { SpooledRows } from '../source/spooled-rows.ts'
import { MarkdownLinks } from './markdown-links.ts'
import type { Reading } from './recorded-source.ts'

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
 * Reads the Markdown files of a backup. Lists of tasks, events and files are shown as pages, and the comments of a post as the end of its text:
 * they are Markdown that was made for reading, from which no record can be read back for certain.
 */
export async function readMarkdown(
  backup: OpenedBackup,
  rows: SpooledRows,
  { signal, onPart }: Reading,
): Promise<void> {
  const files: BagFile[] = []
  for await (const file of backup.files('markdown/')) {
    if (file.path.endsWith('.md') && !INDEX.test(file.path)) files.push(file)
  }
  await backup.check(files, () => signal.throwIfAborted())
  const folders = new Map(backup.manifest.projects.map(({ pid, folder }) => [`${PAYLOAD_FOLDER}/${folder}`, pid]))
  for (const { pid, name } of backup.manifest.projects) {
    rows.projects.set(pid, { pid, name, description: null, archived: false, extra: null })
  }
  const links = new MarkdownLinks(folders, backup.manifest.links === 'wiki')
  const shown: Shown[] = []
  for (const { path } of files) {
    signal.throwIfAborted()
    const pid = folders.get(path.split('/').slice(0, 3).join('/'))
    if (pid === undefined) continue
    const { about } = await readMarkdownFile(backup.path, path)
    const { kind, id } = recordOf(about, path)
    const one = { path, pid, kind, id }
    links.add(one)
    shown.push(one)
  }
  await readTexts(backup, shown, links, rows, { signal, onPart })
}

/** Reads the texts: all places that their links lead to are known. */
async function readTexts(
  backup: OpenedBackup,
  shown: readonly Shown[],
  links: MarkdownLinks,
  rows: SpooledRows,
  { signal, onPart }: Reading,
): Promise<void> {
  const projects = [...Map.groupBy(shown, (one) => one.pid)]
  for (const [done, [pid, own]] of projects.entries()) {
    const pages = rows.spool.scope(pid, 'pages')
    const posts = rows.spool.scope(pid, 'posts')
    for (const [index, { path, kind, id }] of own.entries()) {
      signal.throwIfAborted()
      const file = await readMarkdownFile(backup.path, path)
      const content = await links.ofRecords(file.content + file.closing + file.rest, path)
      const row = rowOf(file, { pid, content, title: titleOf(file, path) })
      if (kind === 'page') {
        const parent_id = textIn(file.about['parent_id'])
        await pages.append('pages', { ...row, page_id: id, parent_id }, index)
      } else await posts.append('posts', { ...row, post_id: id }, index)
      for (const uid of watchersOf(file, rows)) {
        if (kind === 'page') await pages.append('page_watchers', { pid, page_id: id, uid }, index)
        else await posts.append('post_watchers', { pid, post_id: id, uid }, index)
      }
    }
    await pages.seal()
    await posts.seal()
    onPart(done + 1, projects.length)
  }
}

/** The record of a file. A list is no record: its page gets an id that no other file has. */
function recordOf(about: MarkdownFile['about'], path: string): { kind: 'page' | 'post'; id: string } {
  return isRecord(about) ? about : { kind: 'page', id: `list-${hash('sha256', path).slice(0, 16)}` }
}

function isRecord(about: MarkdownFile['about']): about is { readonly kind: 'page' | 'post'; readonly id: string } {
  const { kind, id } = about
  return (kind === 'page' || kind === 'post') && typeof id === 'string'
}

function rowOf(
  { about }: MarkdownFile,
  { pid, content, title }: { readonly pid: string; readonly content: string; readonly title: string | null },
): SourceRow {
  return {
    ...{ pid, name: title, extra: null },
    ...(about['content_from'] === 'summary' ? { summary: content, content: null } : { summary: null, content }),
    ...{ created_at: textIn(about['created_at']), updated_at: textIn(about['updated_at']) },
    owner_uid: personIn(about['owner'])?.uid ?? null,
  }
}

/** The title; of a list without one, the name of its file. */
function titleOf({ about }: MarkdownFile, path: string): string | null {
  const title = textIn(about['title'])
  return title || isRecord(about) ? title : path.slice(path.lastIndexOf('/') + 1, -'.md'.length)
}

/** Adds the people of a file to the users, and gives the ids of its watchers, each once. */
function watchersOf({ about }: MarkdownFile, rows: SpooledRows): ReadonlySet<string> {
  const listed: readonly unknown[] = Array.isArray(about['watchers']) ? about['watchers'] : []
  const watchers = listed.flatMap((person) => personIn(person) ?? [])
  const owner = personIn(about['owner'])
  for (const { uid, name } of [...watchers, ...(owner ? [owner] : [])]) rows.users.set(uid, { uid, name, extra: null })
  return new Set(watchers.map(({ uid }) => uid))
}

function personIn(value: unknown): { readonly uid: string; readonly name: string | null } | null {
  if (typeof value !== 'object' || value === null || !('uid' in value) || typeof value.uid !== 'string') return null
  return { uid: value.uid, name: 'name' in value ? textIn(value.name) : null }
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
