import type { RecordKind, RecordKinds, RecordLoss, Scope, StreamBatch } from '@collab-etl/contract/streams'
import { issuesOf, isUncertain, type RecordIssues } from '../convert/record-issues.ts'
import { RowWriter, type TableRows } from '../convert/row-writer.ts'
import { ScopeMemory } from '../convert/scope-memory.ts'
import type { Cell } from '../convert/table.ts'
import { eventRows } from '../tables/events.ts'
import { fileCommentRows, fileRows } from '../tables/files.ts'
import { pageRows } from '../tables/pages.ts'
import { postCommentRows, postRows } from '../tables/posts.ts'
import { projectRows } from '../tables/projects.ts'
import { archivedTaskRows, taskRows } from '../tables/tasks.ts'
import { webhookRows } from '../tables/webhooks.ts'

/** The rows of a batch, table by table, and what was lost in making them. */
export interface BatchRows {
  readonly tables: readonly TableRows[]
  readonly losses: readonly RecordLoss[]
  /** Indices of the records that were not taken exactly as they were sent, here or before. */
  readonly inexact: ReadonlySet<number>
}

/** Kinds that become rows of resource tables; the others say that something is known, or gone. */
type RowKind = Exclude<RecordKind, 'known_post' | 'known_file' | 'not_found_post' | 'not_found_file'>

interface Mapping<K extends RowKind> {
  readonly write: (rows: RowWriter, record: RecordKinds[K]) => void
  /** The record's key as losses name it. */
  readonly key: (record: RecordKinds[K]) => string
}

/** How records become rows, by kind. A new kind is one entry here and its table in `tables/`. */
const MAPPINGS: { readonly [K in RowKind]: Mapping<K> } = {
  project: { write: projectRows, key: (record) => record.pid },
  task: { write: taskRows, key: (record) => record.tid },
  archived_task: { write: archivedTaskRows, key: (record) => record.tid },
  page: { write: pageRows, key: (record) => record.page_id },
  post: { write: postRows, key: (record) => record.post_id },
  post_comment: { write: postCommentRows, key: (record) => `${record.post_id} ${record.comment.cid}` },
  event: { write: eventRows, key: (record) => `${record.event_id} ${record.start}` },
  file: { write: fileRows, key: (record) => record.fid },
  file_comment: { write: fileCommentRows, key: (record) => `${record.fid} ${record.comment.cid}` },
  webhook: { write: webhookRows, key: (record) => record.wid },
}

/**
 * The rows a batch becomes. Pure but for `memory`: given one for all batches of a scope, users and task groups that were
 * already written just so are not written again. Kinds that say what is known or gone become no rows here.
 */
export function rowsOf(scope: Scope, batch: StreamBatch, memory: ScopeMemory = new ScopeMemory()): BatchRows {
  const writer = new RowWriter(scope.pid, memory)
  if (isRowBatch(batch)) {
    const inexactKeys = new Set(batch.losses.filter(({ kind }) => isUncertain(kind)).map((loss) => loss.recordKey))
    writeAll(writer, batch.kind, batch.records, { inexactKeys, issues: issuesOf(batch.losses) })
  }
  return { tables: writer.tables, losses: writer.losses, inexact: writer.inexact }
}

/** The rows as plain objects by column, `extra` included. */
export function rowObjects({ table, rows }: TableRows): Record<string, Cell>[] {
  const names = [...table.columns.map((column) => column.name), 'extra']
  return rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null])))
}

type RowBatch = Extract<StreamBatch, { kind: RowKind }>

function isRowBatch(batch: StreamBatch): batch is RowBatch {
  return Object.hasOwn(MAPPINGS, batch.kind)
}

function writeAll<K extends RowKind>(
  writer: RowWriter,
  kind: K,
  records: readonly RecordKinds[NoInfer<K>][],
  { inexactKeys, issues }: { inexactKeys: ReadonlySet<string>; issues: ReadonlyMap<string, RecordIssues> },
): void {
  const { write, key }: Mapping<K> = MAPPINGS[kind]
  for (const [index, record] of records.entries()) {
    const recordKey = key(record)
    writer.begin(index, recordKey, issues.get(recordKey))
    if (inexactKeys.has(recordKey)) writer.inexact.add(index)
    write(writer, record)
  }
}
