import { join } from 'node:path'
import type { OpenedBackup } from '@collab-etl/backups'
import { linesOf } from '@collab-etl/bagit'
import type { Person } from '@collab-etl/warehouse'
import type { CheckedFiles } from './checked-files.ts'
import {
  fieldsIn,
  listIn,
  type RecordQuery,
  type RecordReader,
  type StoredComment,
  type StoredRecord,
  type StoredTask,
  stateOf,
  textIn,
  timeIn,
} from './record.ts'

/** The files of a project by kind. */
const FILES: Readonly<Record<StoredRecord['kind'], readonly string[]>> = {
  page: ['pages'],
  post: ['posts'],
  task: ['tasks', 'archived_tasks'],
}

type Fields = Readonly<Record<string, unknown>>

/** Reads the JSON lines of a backup. */
export class JsonlRecords implements RecordReader {
  readonly #backup: OpenedBackup
  readonly #files: CheckedFiles

  constructor(backup: OpenedBackup, files: CheckedFiles) {
    this.#backup = backup
    this.#files = files
  }

  has(kind: StoredRecord['kind']): boolean {
    return FILES[kind].some((name) =>
      this.#files.some((path) => path.startsWith('jsonl/') && path.endsWith(`/${name}.jsonl`)),
    )
  }

  async *records({ kind, pid, holds = [] }: RecordQuery): AsyncGenerator<StoredRecord, void, undefined> {
    const wanted = holds.map((text) => JSON.stringify(text).slice(1, -1))
    for (const project of this.#backup.manifest.projects) {
      if (project.jsonl === undefined || (pid !== undefined && project.pid !== pid)) continue
      for (const name of FILES[kind]) {
        const path = `${project.jsonl.folder}/${name}.jsonl`
        if (!(await this.#files.checked(path))) continue
        for await (const line of linesOf(join(this.#backup.path, 'data', path))) {
          // Parsing takes longer than looking for words.
          const text = wanted.length === 0 ? '' : line.toLowerCase()
          if (wanted.every((word) => text.includes(word))) yield recordIn(kind, project.pid, name, JSON.parse(line))
        }
      }
    }
  }
}

function recordIn(kind: StoredRecord['kind'], pid: string, file: string, line: unknown): StoredRecord {
  const whole = fieldsIn(line)
  const record = kind === 'post' ? fieldsIn(whole['post']) : whole
  return {
    kind,
    pid,
    id: textIn(record[ID[kind]]) ?? '',
    parentId: textIn(record['parent_id']) || null,
    name: textIn(record['name']),
    summary: textIn(record['summary']),
    text: textIn(record[kind === 'task' ? 'desc' : 'content']) ?? '',
    created_at: timeIn(record['created_at']),
    updated_at: timeIn(record['updated_at']),
    owner: personIn(record['owner']),
    comments: kind === 'post' ? commentsIn(whole['comments']) : [],
    task: kind === 'task' ? taskIn(record, file === 'archived_tasks') : null,
  }
}

const ID = { page: 'page_id', post: 'post_id', task: 'tid' } as const

function taskIn(record: Fields, archived: boolean): StoredTask {
  const badges = fieldsIn(record['badges'])
  const count = (name: string) => (typeof badges[name] === 'number' ? badges[name] : null)
  return {
    entry_id: textIn(record['entry_id']) || null,
    group: textIn(record['entry_name']) || null,
    state: stateOf(archived, Boolean(record['completed'])),
    due_at: timeIn(badges['expire_date'] ?? record['expire_date']),
    completed_at: timeIn(record['completed_date']),
    members: listIn(record['members']).map((user) => ({
      ...(personIn(user) ?? { uid: '', name: null }),
      names: [user['uid'], user['name'], user['display_name']].filter((name) => typeof name === 'string'),
    })),
    labels: listIn(record['labels']).map((label) => ({
      name: textIn(label['name']) ?? '',
      description: textIn(label['desc']),
    })),
    todos: listIn(record['todos']).map((todo) => ({ name: textIn(todo['name']), checked: Boolean(todo['checked']) })),
    comment_count: count('comment_count'),
    file_count: count('file_count'),
  }
}

function personIn(value: unknown): Person | null {
  const { uid, name, display_name: nickname } = fieldsIn(value)
  return typeof uid === 'string' && uid !== '' ? { uid, name: textIn(nickname) || textIn(name) } : null
}

function commentsIn(value: unknown): StoredComment[] {
  const comments = listIn(value).map((comment) => ({
    cid: textIn(comment['cid']) ?? '',
    owner: personIn(comment['owner']),
    created_at: timeIn(comment['created_at']),
    text: textIn(comment['raw_message']) || textIn(comment['message']) || '',
    files: listIn(comment['files']).map((file) => ({ fid: textIn(file['fid']) ?? '', name: textIn(file['name']) })),
  }))
  return comments.sort(byTime)
}

/** The oldest first. */
export function byTime(a: StoredComment, b: StoredComment): number {
  const [one, other] = [`${a.created_at} ${a.cid}`, `${b.created_at} ${b.cid}`]
  return one < other ? -1 : Number(one > other)
}
