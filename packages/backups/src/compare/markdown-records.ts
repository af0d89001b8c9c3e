import { createHash } from 'node:crypto'
import type { BagFile, DifferingFiles } from '@collab-etl/bagit'
import type { BackupReader as OpenedBackup } from '../read/backup-reader.ts'
import { readMarkdownFile } from '../read/markdown-file.ts'
import type { FormPair } from './form.ts'
import { type DiffRecord, fieldsIn, type RecordKind, textIn } from './record.ts'

/** The kinds that have a file for each record. Tasks, events and files share files, which no program reads back. */
export const MARKDOWN_KINDS: ReadonlySet<RecordKind> = new Set(['page', 'post'])

/** Files of pages and posts. */
const RECORD_FILE = /^data\/markdown\/[^/]+\/(pages|posts)\/.+\.md$/

/** Length to which digests are shortened, in characters, to save memory. */
const DIGEST_LENGTH = 32

/**
 * Reads two backups from their Markdown. Files whose digest is in both manifests are skipped: a file names its record and project, so
 * it is the same record in both. Links are relative paths, so renaming a linked page changes a page in this format.
 */
export function pairMarkdown(
  [a]: readonly [OpenedBackup, OpenedBackup],
  differing: DifferingFiles,
  kinds: readonly RecordKind[],
): FormPair {
  const left = differing.before.filter(({ path }) => isOf(kinds, path))
  const right = differing.after.filter(({ path }) => isOf(kinds, path))
  const digests = new Set(left.map(shortened))
  const moved = new Set(right.map(shortened).filter((digest) => digests.has(digest)))
  const filesOf = (backup: OpenedBackup) => (backup === a ? left : right).filter((file) => !moved.has(shortened(file)))
  return {
    form: 'markdown',
    filesOf: async (backup) => filesOf(backup),
    async *records(backup, filter) {
      const folders = new Map(backup.manifest.projects.map(({ pid, folder }) => [`data/${folder}`, pid]))
      for (const file of filesOf(backup)) {
        const pid = folders.get(file.path.split('/').slice(0, 3).join('/'))
        if (pid === undefined || filter(pid, kindOf(file.path))) yield await readRecord(backup.path, file.path)
      }
    },
  }
}

function isOf(kinds: readonly RecordKind[], path: string): boolean {
  return RECORD_FILE.test(path) && kinds.includes(kindOf(path))
}

function kindOf(path: string): RecordKind {
  return RECORD_FILE.exec(path)?.[1] === 'posts' ? 'post' : 'page'
}

function shortened({ sha256 }: BagFile): string {
  return sha256.slice(0, DIGEST_LENGTH)
}

async function readRecord(bag: string, path: string): Promise<DiffRecord> {
  const { about, content, rest } = await readMarkdownFile(bag, path)
  const kind = about['kind'] === 'post' ? 'post' : 'page'
  const count = typeof about['comments'] === 'number' ? about['comments'] : 0
  return {
    kind,
    pid: textIn(about['pid']) ?? '',
    id: textIn(about['id']) ?? '',
    title: textIn(about['title']),
    parentId: textIn(about['parent_id']),
    content,
    comments: kind === 'post' ? { count, digest: createHash('sha256').update(rest).digest('hex') } : null,
    fields: {
      created_at: textIn(about['created_at']),
      updated_at: textIn(about['updated_at']),
      owner_uid: textIn(fieldsIn(about['owner'])['uid']),
      watchers: watchersOf(about['watchers']),
      content_from: textIn(about['content_from']),
    },
    placing: null,
  }
}

/** Only uids: a new name does not change the page. */
function watchersOf(value: unknown): string {
  const people: unknown[] = Array.isArray(value) ? value : []
  return JSON.stringify(people.map((person) => fieldsIn(person)['uid'] ?? null))
}
