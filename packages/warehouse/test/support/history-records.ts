import type { StreamName } from '@collab-etl/contract/streams'
import { type BatchRows, rowObjects, rowsOf } from '../../src/records/rows-of.ts'
import { ScopeMemory } from '../../src/records/scope-memory.ts'
import type { Table, TableName } from '../../src/tables/table.ts'
import { fullness, keyOf, type PlainRow, plainRow } from './history-rows.ts'
import type { Publication } from './history-script.ts'

/** A record as it was read: its rows, which stand or fall together. */
export interface ReadRecord {
  readonly stream: StreamName
  readonly rows: readonly { readonly table: Table; readonly row: PlainRow }[]
}

/** Rows of which a record that came twice takes none along. */
const NOT_OF_ONE_RECORD: ReadonlySet<TableName> = new Set(['users', 'entries'])

export function recordsOf(pid: string | null, stream: StreamName, streams: Publication['streams']): ReadRecord[] {
  const memory = new ScopeMemory()
  return (streams[stream]?.batches ?? []).flatMap((batch) => {
    const rows = rowsOf({ pid, stream }, batch, memory)
    return batch.records.map((_, index) => ({ stream, rows: rowsOfRecord(rows, index) }))
  })
}

function rowsOfRecord({ tables }: BatchRows, index: number): ReadRecord['rows'] {
  return tables.flatMap((of) =>
    rowObjects(of).flatMap((row, at) =>
      of.records[at] === index ? [{ table: of.table, row: plainRow(of.table, row) }] : [],
    ),
  )
}

export function goneOf(streams: Publication['streams'], stream: StreamName): ReadonlySet<string> {
  const ids = (streams[stream]?.batches ?? []).flatMap((batch) => {
    if (batch.kind === 'not_found_post') return batch.records.map(({ post_id }) => post_id)
    return batch.kind === 'not_found_file' ? batch.records.map(({ fid }) => fid) : []
  })
  return new Set(ids)
}

/** What was read of posts and files before they went does not count. */
export function withoutGone(
  records: readonly ReadRecord[],
  gone: ReadonlyMap<StreamName, ReadonlySet<string>>,
): ReadRecord[] {
  const isGone = (stream: StreamName, { rows }: ReadRecord) =>
    rows.some(({ row }) => gone.get(stream)?.has(String(row[stream === 'posts' ? 'post_id' : 'fid'])) === true)
  return records.map((record) => {
    if ((record.stream !== 'posts' && record.stream !== 'files') || !isGone(record.stream, record)) return record
    return withoutOwn(record)
  })
}

/** Of records with one key the last one stays. A task of both lists is archived, with what the archived list lacks. */
export function withoutRepeated(records: readonly ReadRecord[]): ReadRecord[] {
  const last = new Map<string, ReadRecord>()
  const listed = new Map<string, PlainRow>()
  const identity = ({ rows }: ReadRecord) => {
    const own = rows.find(({ table }) => table.isRecord === true)
    return own && `${own.table.name} ${keyOf(own.table, own.row)}`
  }
  for (const record of records) {
    last.set(identity(record) ?? '', record)
    const task = record.rows.find(({ table }) => table.name === 'tasks')
    if (task !== undefined && record.stream === 'tasks') listed.set(identity(record) ?? '', task.row)
  }
  return records.map((record) => {
    if (last.get(identity(record) ?? '') !== record) return withoutOwn(record)
    const other = record.stream === 'archived_tasks' ? listed.get(identity(record) ?? '') : undefined
    return other === undefined ? record : withListed(record, other)
  })
}

function withListed({ stream, rows }: ReadRecord, listed: PlainRow): ReadRecord {
  const merged = rows.map(({ table, row }) => {
    if (table.name !== 'tasks') return { table, row }
    const completedAt = row['completed'] === false ? null : (listed['completed_at'] ?? null)
    return { table, row: { ...row, position: listed['position'] ?? null, completed_at: completedAt } }
  })
  return { stream, rows: merged }
}

function withoutOwn({ stream, rows }: ReadRecord): ReadRecord {
  return { stream, rows: rows.filter(({ table }) => NOT_OF_ONE_RECORD.has(table.name)) }
}

/** Of rows that several records hold: the one that says most; of those the last of the first stream. */
export function stagedOf(table: Table, records: readonly ReadRecord[]): Map<string, PlainRow> {
  const best = new Map<string, { row: PlainRow; stream: StreamName }>()
  for (const { stream, rows } of records) {
    for (const { row } of rows.filter((each) => each.table.name === table.name)) {
      const key = keyOf(table, row)
      const before = best.get(key)
      const [says, said] = [fullness(row), before === undefined ? -1 : fullness(before.row)]
      if (says > said || (says === said && stream === before?.stream)) best.set(key, { row, stream })
    }
  }
  return new Map([...best].map(([key, { row }]) => [key, row]))
}
