import { join } from 'node:path'
import { csvFormOf, namedCsvRows, type OpenedBackup } from '@collab-etl/backups'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { CheckedFiles } from './checked-files.ts'
import { byTime } from './jsonl-records.ts'
import {
  type RecordQuery,
  type RecordReader,
  type StoredComment,
  type StoredRecord,
  type StoredTask,
  stateOf,
  timeIn,
} from './record.ts'

type Row = Readonly<Record<string, string | null>>

const TABLES = {
  page: { table: 'pages', id: 'page_id', lists: [] },
  post: { table: 'posts', id: 'post_id', lists: ['post_comments', 'attachments'] },
  task: { table: 'tasks', id: 'tid', lists: ['task_members', 'task_labels', 'task_todos'] },
} as const

type Lists = Readonly<Record<string, readonly Row[]>>

/** Names that all records share; they are few. */
interface Names {
  /** By uid: the name that is shown, and all names. */
  readonly users: ReadonlyMap<string, { readonly shown: string | null; readonly all: readonly string[] }>
  /** Task groups, by project and id. */
  readonly groups: ReadonlyMap<string, string | null>
}

/** Reads the CSV of a backup. Its files have the rows of all projects, so that reading one record takes as long as reading all. */
export class CsvRecords implements RecordReader {
  readonly #backup: OpenedBackup
  readonly #files: CheckedFiles
  #names: Promise<Names> | undefined

  constructor(backup: OpenedBackup, files: CheckedFiles) {
    this.#backup = backup
    this.#files = files
  }

  has(kind: StoredRecord['kind']): boolean {
    return this.#files.some((path) => path === pathOf(TABLES[kind].table))
  }

  async *records({ kind, pid }: RecordQuery): AsyncGenerator<StoredRecord, void, undefined> {
    this.#names ??= this.#readNames()
    const names = await this.#names
    const { table, id, lists } = TABLES[kind]
    const items = Object.fromEntries(lists.map((list) => [list, new ListReader(this.#rows(list), id)]))
    try {
      for await (const row of this.#rows(table)) {
        // the lists are in the same order, so they must be read along
        const found: Record<string, readonly Row[]> = {}
        for (const [list, reader] of Object.entries(items)) found[list] = await reader.of(row)
        if (pid === undefined || row['pid'] === pid) yield recordOf(kind, row, found, names)
      }
    } finally {
      for (const reader of Object.values(items)) await reader.close()
    }
  }

  async #readNames(): Promise<Names> {
    const users = new Map<string, { shown: string | null; all: string[] }>()
    for await (const row of this.#rows('users')) {
      const { uid, name = null, display_name: nickname = null } = row
      const all = [uid, name, nickname].filter((text) => typeof text === 'string')
      users.set(uid ?? '', { shown: nickname || name, all })
    }
    const groups = new Map<string, string | null>()
    for await (const row of this.#rows('entries')) groups.set(keyOf(row, 'entry_id'), row['name'] ?? null)
    return { users, groups }
  }

  async *#rows(table: string): AsyncGenerator<Row, void, undefined> {
    const path = pathOf(table)
    if (!(await this.#files.checked(path))) return
    yield* namedCsvRows(join(this.#backup.path, 'data', path), csvFormOf(this.#backup.manifest.csv))
  }
}

function pathOf(table: string): string {
  return `csv/${table}.csv`
}

function keyOf(row: Row, id: string): string {
  return JSON.stringify([row['pid'], row[id]])
}

/** Reads the rows of a list along with those of its records. Both are in the order of the records' keys. */
class ListReader {
  readonly #rows: AsyncGenerator<Row, void, undefined>
  readonly #id: string
  #next: Row | null | undefined

  constructor(rows: AsyncGenerator<Row, void, undefined>, id: string) {
    this.#rows = rows
    this.#id = id
  }

  async of(record: Row): Promise<Row[]> {
    const found: Row[] = []
    for (;;) {
      if (this.#next === undefined) this.#next = (await this.#rows.next()).value ?? null
      if (this.#next === null) return found
      const order =
        compareBytes(this.#next['pid'] ?? '', record['pid'] ?? '') ||
        compareBytes(this.#next[this.#id] ?? '', record[this.#id] ?? '')
      if (order > 0) return found
      if (order === 0) found.push(this.#next)
      this.#next = undefined
    }
  }

  async close(): Promise<void> {
    await this.#rows.return()
  }
}

function recordOf(kind: StoredRecord['kind'], row: Row, lists: Lists, names: Names): StoredRecord {
  const owner = row['owner_uid'] || null
  return {
    kind,
    pid: row['pid'] ?? '',
    id: row[TABLES[kind].id] ?? '',
    parentId: row['parent_id'] || null,
    name: row['name'] ?? null,
    summary: row['summary'] ?? null,
    text: row[kind === 'task' ? 'description' : 'content'] ?? '',
    created_at: timeIn(row['created_at']),
    updated_at: timeIn(row['updated_at']),
    owner: owner === null ? null : { uid: owner, name: names.users.get(owner)?.shown ?? null },
    comments: kind === 'post' ? commentsOf(lists, names) : [],
    task: kind === 'task' ? taskOf(row, lists, names) : null,
  }
}

function commentsOf({ post_comments: rows = [], attachments = [] }: Lists, names: Names): StoredComment[] {
  const comments = rows.map((row) => ({
    cid: row['cid'] ?? '',
    owner: row['owner_uid'] ? { uid: row['owner_uid'], name: names.users.get(row['owner_uid'])?.shown ?? null } : null,
    created_at: timeIn(row['created_at']),
    text: row['raw_message'] || row['message'] || '',
    files: attachments
      .filter(({ cid }) => cid === row['cid'])
      .map(({ fid, name }) => ({ fid: fid ?? '', name: name ?? null })),
  }))
  return comments.sort(byTime)
}

function taskOf(row: Row, lists: Lists, names: Names): StoredTask {
  const { task_members: members = [], task_labels: labels = [], task_todos: todos = [] } = lists
  const count = (text: string | null | undefined) => (text ? Number(text) : null)
  return {
    entry_id: row['entry_id'] || null,
    group: names.groups.get(keyOf(row, 'entry_id')) ?? null,
    state: stateOf(row['archived'] === 'true', row['completed'] === 'true'),
    due_at: timeIn(row['due_at']),
    completed_at: timeIn(row['completed_at']),
    members: members.map(({ uid }) => {
      const user = names.users.get(uid ?? '')
      return { uid: uid ?? '', name: user?.shown ?? null, names: user?.all ?? [uid ?? ''] }
    }),
    labels: labels.map(({ name, description }) => ({ name: name ?? '', description: description ?? null })),
    todos: [...todos]
      .sort((a, b) => Number(a['position'] ?? 0) - Number(b['position'] ?? 0))
      .map(({ name, checked }) => ({ name: name ?? null, checked: checked === 'true' })),
    comment_count: count(row['comment_count']),
    file_count: count(row['file_count']),
  }
}
