import type { ListedIssue } from '@collab-etl/documents'
import type { ScopeState } from '@collab-etl/warehouse'
import type { BackupRows, SourceRow, SourceTable } from '../src/source/backup-rows.ts'

export interface HandMade {
  readonly tables: Partial<Record<SourceTable, readonly SourceRow[]>>
  readonly scopes?: readonly ScopeState[]
  readonly losses?: readonly ListedIssue[]
}

/** A source of rows written down in a test, each table in the order of its key. */
export function handMadeSource({ tables, scopes = [], losses = [] }: HandMade): BackupRows {
  return {
    origin: {
      kind: 'warehouse',
      place: 'a test',
      baseUrl: 'http://localhost',
      account: null,
      readAt: '2024-01-01T00:00:00.000Z',
      runId: 'r1',
    },
    async *rows(table, { pid } = {}) {
      for (const row of tables[table] ?? []) if (pid === undefined || row['pid'] === pid) yield row
    },
    scopes: async () => scopes,
    async *losses() {
      yield* losses
    },
    unreadItems: async () => [],
    knownPosts: async () => new Map(),
    async [Symbol.asyncDispose]() {},
  }
}

const TIMES = { created_at: '2024-01-01T08:00:00.000Z', updated_at: '2024-02-01T08:00:00.000Z' }

export function projectRow(pid: string, name: string | null, more: SourceRow = {}): SourceRow {
  return { pid, name, description: null, archived: false, extra: null, ...more }
}

export function pageRow(pid: string, page_id: string, name: string | null, more: SourceRow = {}): SourceRow {
  return {
    pid,
    page_id,
    parent_id: null,
    name,
    summary: null,
    content: `# ${name}\n`,
    ...TIMES,
    owner_uid: 'u1',
    extra: null,
    ...more,
  }
}

export function postRow(pid: string, post_id: string, name: string | null, more: SourceRow = {}): SourceRow {
  return { pid, post_id, name, summary: null, content: '', ...TIMES, owner_uid: 'u1', extra: null, ...more }
}

export function commentRow(pid: string, post_id: string, cid: string, more: SourceRow = {}): SourceRow {
  return {
    pid,
    post_id,
    cid,
    message: 'html',
    raw_message: `comment ${cid}`,
    type: 1,
    format: 1,
    owner_uid: 'u2',
    created_at: TIMES.created_at,
    extra: null,
    ...more,
  }
}

export function taskRow(pid: string, tid: string, name: string | null, more: SourceRow = {}): SourceRow {
  return {
    pid,
    tid,
    entry_id: null,
    name,
    description: '',
    position: 1024,
    completed: false,
    completed_at: null,
    due_at: '2024-03-01T00:00:00.000Z',
    ...TIMES,
    archived: false,
    comment_count: 0,
    todo_count: 0,
    todo_checked_count: 0,
    file_count: 0,
    extra: null,
    ...more,
  }
}

export function eventRow(pid: string, event_id: string, starts_at: string, name: string | null, more: SourceRow = {}) {
  return { pid, event_id, starts_at, ends_at: null, name, summary: null, recurrence: 0, extra: null, ...more }
}

export function fileRow(pid: string, fid: string, name: string | null, more: SourceRow = {}): SourceRow {
  return {
    pid,
    fid,
    name,
    description: null,
    size_bytes: '0',
    type: 0,
    ...TIMES,
    owner_uid: 'u1',
    extra: null,
    ...more,
  }
}
