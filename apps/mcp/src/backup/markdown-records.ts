import { type MarkdownFile, type OpenedBackup, readMarkdownFile } from '@collab-etl/backups'
import type { CheckedFiles } from './checked-files.ts'
import {
  fieldsIn,
  type RecordQuery,
  type RecordReader,
  type StoredComment,
  type StoredRecord,
  textIn,
} from './record.ts'

const FOLDERS: Readonly<Record<StoredRecord['kind'], string | null>> = { page: 'pages', post: 'posts', task: null }

/** Reads the Markdown of a backup: pages and posts, whose links lead to other files of the backup. */
export class MarkdownRecords implements RecordReader {
  readonly #backup: OpenedBackup
  readonly #files: CheckedFiles

  constructor(backup: OpenedBackup, files: CheckedFiles) {
    this.#backup = backup
    this.#files = files
  }

  has(kind: StoredRecord['kind']): boolean {
    return FOLDERS[kind] !== null && this.#files.some((path) => path.startsWith('markdown/'))
  }

  async *records({ kind, pid }: RecordQuery): AsyncGenerator<StoredRecord, void, undefined> {
    const folder = FOLDERS[kind]
    for (const project of this.#backup.manifest.projects) {
      if (folder === null || project.folder === null || (pid !== undefined && project.pid !== pid)) continue
      for (const path of this.#files.paths()) {
        if (!path.startsWith(`${project.folder}/${folder}/`) || !path.endsWith('.md')) continue
        await this.#files.checked(path)
        yield recordOf(kind, await readMarkdownFile(this.#backup.path, `data/${path}`))
      }
    }
  }
}

function recordOf(kind: 'page' | 'post' | 'task', { about, content, rest }: MarkdownFile): StoredRecord {
  const owner = fieldsIn(about['owner'])
  return {
    kind,
    pid: textIn(about['pid']) ?? '',
    id: textIn(about['id']) ?? '',
    parentId: textIn(about['parent_id']),
    name: textIn(about['title']),
    summary: null,
    text: content,
    created_at: textIn(about['created_at']),
    updated_at: textIn(about['updated_at']),
    owner: typeof owner['uid'] === 'string' ? { uid: owner['uid'], name: textIn(owner['name']) } : null,
    comments: commentsIn(rest, about['comments']),
    task: null,
  }
}

/** A comment may hold the line that begins a comment: if their number is wrong, they are one text. */
function commentsIn(text: string, count: unknown): StoredComment[] {
  if (text === '' || !count) return []
  const parts = text.split(/^<!-- collab-export: comment (\S+) -->\n/m).slice(1)
  const comments = parts.flatMap((cid, index) =>
    index % 2 === 0 ? [commentOf(decodeURIComponent(cid), parts[index + 1] ?? '')] : [],
  )
  return comments.length === count ? comments : [commentOf('', text)]
}

/** Author and time are in the text. */
function commentOf(cid: string, text: string): StoredComment {
  return { cid, owner: null, created_at: null, text: text.trim(), files: [] }
}
