import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type BagFile, type DifferingFiles, linesOf, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { canonicalJson, isExactNumber, parseExactJson } from '@collab-etl/contract/exact-json'
import type { BackupReader as OpenedBackup } from '../read/backup-reader.ts'
import { merged } from '../read/ordered.ts'
import { foldEvents } from './events.ts'
import type { FormPair } from './form.ts'
import { type Comments, type DiffRecord, fieldsIn, placingOf, type RecordKind, textIn } from './record.ts'

/** How a kind of records is written. */
interface Form {
  /** Files of a project, each in the order of ids. A record is in one of them. */
  readonly files: readonly string[]
  readonly id: string
  readonly parent?: string
  readonly content?: string
  /** Whether a line is the record and its comments. */
  readonly hasComments?: true
}

const FORMS: Readonly<Record<RecordKind, Form>> = {
  event: { files: ['events'], id: 'event_id' },
  file: { files: ['files'], id: 'fid', parent: 'folder_id', hasComments: true },
  page: { files: ['pages'], id: 'page_id', parent: 'parent_id', content: 'content' },
  post: { files: ['posts'], id: 'post_id', content: 'content', hasComments: true },
  task: { files: ['tasks', 'archived_tasks'], id: 'tid', parent: 'entry_id', content: 'desc' },
}

/** The records of one kind of one project. */
interface RecordFiles {
  readonly pid: string
  readonly kind: RecordKind
  readonly files: readonly BagFile[]
}

/**
 * Reads two backups from their JSON lines. Identical files are skipped. Of users only the uid is compared, and of projects and groups that a
 * task names only the id: a new name does not change the record.
 * @param common kinds that both backups have as JSON lines
 */
export async function pairJsonl(
  [a, b]: readonly [OpenedBackup, OpenedBackup],
  { before, after }: DifferingFiles,
  common: readonly RecordKind[],
): Promise<FormPair> {
  const changed = new Set([...before, ...after].map(({ path }) => path).filter((path) => path.startsWith(FOLDER)))
  const filesIn = async (backup: OpenedBackup) => (changed.size === 0 ? [] : await recordFiles(backup, common))
  const [left, right] = [await filesIn(a), await filesIn(b)]
  const keyOf = ({ pid, kind }: RecordFiles) => JSON.stringify([pid, kind])
  const isChanged = ({ files }: RecordFiles) => files.some(({ path }) => changed.has(path))
  const keys = new Set([...left, ...right].filter(isChanged).map(keyOf))
  const differing = (backup: OpenedBackup) => (backup === a ? left : right).filter((files) => keys.has(keyOf(files)))
  return {
    form: 'jsonl',
    filesOf: async (backup) => differing(backup).flatMap(({ files }) => files),
    async *records(backup, filter) {
      for (const { pid, kind, files } of differing(backup)) {
        if (!filter(pid, kind)) continue
        const sources = files.map((file) => recordsIn(join(backup.path, file.path), pid, kind))
        const records = merged(sources, (one, other) => compareBytes(one.id, other.id))
        yield* kind === 'event' ? foldEvents(records) : records
      }
    },
  }
}

/** The folder of JSON lines in a bag. */
const FOLDER = `${PAYLOAD_FOLDER}/jsonl/`

/** In the order of the backup manifest, which is by project id. */
async function recordFiles(backup: OpenedBackup, kinds: readonly RecordKind[]): Promise<RecordFiles[]> {
  const files = new Map<string, BagFile>()
  for await (const file of backup.files('jsonl/')) files.set(file.path, file)
  return backup.manifest.projects.flatMap(({ pid, jsonl }) =>
    kinds.flatMap((kind) => {
      const own = FORMS[kind].files.flatMap((name) => files.get(`data/${jsonl?.folder}/${name}.jsonl`) ?? [])
      return own.length > 0 ? [{ pid, kind, files: own }] : []
    }),
  )
}

async function* recordsIn(path: string, pid: string, kind: RecordKind): AsyncGenerator<DiffRecord, void, undefined> {
  // The lines do not say which list a task is from.
  const more = kind === 'task' ? { archived: String(path.endsWith('/archived_tasks.jsonl')) } : {}
  for await (const line of linesOf(path)) {
    const record = recordOf(pid, kind, parseExactJson(line))
    const fields: DiffRecord['fields'] = { ...record.fields, ...more }
    yield { ...record, fields, placing: placingOf(kind, (name) => fields[name] ?? null) }
  }
}

function recordOf(pid: string, kind: RecordKind, line: unknown): Omit<DiffRecord, 'placing'> {
  const { id, parent = '', content = '', hasComments } = FORMS[kind]
  const whole = fieldsIn(line)
  const record = hasComments ? fieldsIn(whole[kind]) : whole
  // A group's name says nothing that its id does not; the service sends '' for both if there is none.
  const isGroupName = kind === 'task' && (record[parent] || !record['entry_name'])
  const known = ['pid', id, 'name', parent, content, ...(isGroupName ? ['entry_name'] : [])]
  // A record that moved names its new project: that is no other change.
  const isOwnProject = (name: string, value: unknown) => name === 'project' && withoutNames(value) === pid
  const others = Object.entries(record).filter(([name, value]) => !known.includes(name) && !isOwnProject(name, value))
  return {
    kind,
    pid,
    id: textIn(record[id]) ?? '',
    title: textIn(record['name']),
    // The service sends '' for none.
    parentId: textIn(record[parent]) || null,
    content: textIn(record[content]),
    comments: hasComments ? commentsOf(whole['comments']) : null,
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

/** Replaces users and projects at any depth by their ids. */
function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames)
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value
  if ('uid' in value) return value.uid
  if ('pid' in value) return value.pid
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutNames(inner)]))
}
