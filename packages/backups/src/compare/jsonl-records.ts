import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type BagFile, linesOf } from '@collab-etl/bagit'
import { canonicalJson, isExactNumber, parseExactJson } from '@collab-etl/contract/exact-json'
import type { OpenedBackup } from '../opened-backup.ts'
import type { FormPair } from './form.ts'
import { type Comments, type DiffRecord, fieldsIn, type RecordKind, textIn } from './record.ts'

const KINDS = ['page', 'post'] as const

/** Fields with their own property in a record. */
const KNOWN: readonly string[] = ['pid', 'page_id', 'post_id', 'name', 'parent_id', 'content']

/** The records of one kind of one project. */
interface RecordFile {
  readonly pid: string
  readonly kind: RecordKind
  readonly file: BagFile
}

/**
 * Reads two backups from their JSON lines. Identical files are skipped. Of users only the uid is compared: a new name does not change
 * the page.
 */
export async function pairJsonl(a: OpenedBackup, b: OpenedBackup): Promise<FormPair> {
  const [left, right] = [await recordFiles(a), await recordFiles(b)]
  const keyOf = ({ pid, kind }: RecordFile) => JSON.stringify([pid, kind])
  const digests = new Map(left.map((file) => [keyOf(file), file.file.sha256]))
  const same = new Set(right.filter((file) => digests.get(keyOf(file)) === file.file.sha256).map(keyOf))
  const differing = (backup: OpenedBackup) => (backup === a ? left : right).filter((file) => !same.has(keyOf(file)))
  return {
    form: 'jsonl',
    filesOf: async (backup) => differing(backup).map(({ file }) => file),
    async *records(backup, filter) {
      for (const { pid, kind, file } of differing(backup)) {
        if (!filter(pid, kind)) continue
        for await (const line of linesOf(join(backup.path, file.path))) yield recordOf(pid, kind, parseExactJson(line))
      }
    },
  }
}

/** In the order of the backup manifest, which is by project id. */
async function recordFiles(backup: OpenedBackup): Promise<RecordFile[]> {
  const files = new Map<string, BagFile>()
  for await (const file of backup.files('jsonl/')) files.set(file.path, file)
  return backup.manifest.projects.flatMap(({ pid, jsonl }) =>
    KINDS.flatMap((kind) => {
      const file = files.get(`data/${jsonl?.folder}/${kind}s.jsonl`)
      return file ? [{ pid, kind, file }] : []
    }),
  )
}

function recordOf(pid: string, kind: RecordKind, line: unknown): DiffRecord {
  const whole = fieldsIn(line)
  const record = kind === 'post' ? fieldsIn(whole['post']) : whole
  const others = Object.entries(record).filter(([name]) => !KNOWN.includes(name))
  return {
    kind,
    pid,
    id: textIn(record[`${kind}_id`]) ?? '',
    title: textIn(record['name']),
    // The service sends '' for none.
    parentId: textIn(record['parent_id']) || null,
    content: textIn(record['content']),
    comments: kind === 'post' ? commentsOf(whole['comments']) : null,
    // With the names of the other formats.
    fields: Object.fromEntries(others.map(([name, value]) => [name === 'owner' ? 'owner_uid' : name, fieldOf(value)])),
  }
}

function commentsOf(value: unknown): Comments {
  const comments: unknown[] = Array.isArray(value) ? value : []
  const digest = createHash('sha256')
    .update(canonicalJson(comments.map(withoutNames)))
    .digest('hex')
  return { count: comments.length, digest }
}

function fieldOf(value: unknown): string | null {
  return typeof value === 'string' || value === null ? value : canonicalJson(withoutNames(value))
}

/** Replaces users at any depth by their uids. */
function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames)
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value
  if ('uid' in value) return value.uid
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutNames(inner)]))
}
