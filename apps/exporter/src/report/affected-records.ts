import type { RecordKind } from '@collab-etl/backups/compare'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { keyOf, type ListedIssue, type Row, textOf } from '@collab-etl/documents'
import type { BackupRows, SourceTable } from '../source/backup-rows.ts'
import type { ReportLinks } from './links.ts'

/** What a conversion issue or an unread item is about: a record, one of its comments, or an occurrence of an event. */
export type Affected = Pick<ListedIssue, 'pid' | 'stream' | 'record_key'>

/** The record as the report names it. */
export interface AffectedRecord {
  readonly title: string | null
  /** `null` if it has no file in the backup. */
  readonly address: string | null
  /** Whether the key is that of a part of it, such as a comment. */
  readonly isPart: boolean
}

interface Table {
  readonly table: SourceTable
  readonly kind: RecordKind
  /** The column of the id. */
  readonly id: string
  /** Columns that the place of a record depends on. */
  readonly columns?: readonly string[]
}

/** Where the records of a stream are. */
const TABLES: Readonly<Record<string, Table>> = {
  pages: { table: 'pages', kind: 'page', id: 'page_id' },
  posts: { table: 'posts', kind: 'post', id: 'post_id' },
  files: { table: 'files', kind: 'file', id: 'fid' },
  events: { table: 'events', kind: 'event', id: 'event_id', columns: ['starts_at'] },
  tasks: {
    table: 'tasks',
    kind: 'task',
    id: 'tid',
    columns: ['archived', 'entry_id', 'created_at', 'updated_at'],
  },
}

const tableOf = (stream: string) => TABLES[stream === 'archived_tasks' ? 'tasks' : stream]

/** The records that a report names, found again in the source of the backup by their keys. */
export class AffectedRecords {
  readonly #found: ReadonlyMap<string, AffectedRecord>

  private constructor(found: ReadonlyMap<string, AffectedRecord>) {
    this.#found = found
  }

  /**
   * Reads the titles of records, and finds their files. It reads a table of a project at most once, up to the last of the records; a source
   * with versions reads only their rows.
   * @param of.tables those that the backup holds
   */
  static async read(
    { source, tables }: { readonly source: BackupRows; readonly tables: ReadonlySet<string> },
    links: ReportLinks,
    some: readonly Affected[],
  ): Promise<AffectedRecords> {
    const found = new Map<string, AffectedRecord>()
    for (const own of Map.groupBy(some, ({ pid, stream }) => JSON.stringify([pid, tableOf(stream)?.table])).values()) {
      const [{ pid, stream } = { pid: null, stream: '' }] = own
      const from = tableOf(stream)
      if (from === undefined || pid === null || !tables.has(from.table)) continue
      const rows = await rowsById(source, pid, from, own.flatMap(idsIn))
      for (const affected of own) {
        const row = idsIn(affected)
          .map((id) => rows.get(id))
          .find((row) => row !== undefined)
        if (row === undefined) continue
        const isPart = keyOf(row, from.id) !== affected.record_key && from.kind !== 'event'
        const address = await links.record(linkedRecord(pid, from, row))
        found.set(nameOf(affected), { title: textOf(row, 'name'), isPart, address })
      }
    }
    return new AffectedRecords(found)
  }

  /** `null` if the source has no such record, or the key names none. */
  of(affected: Affected): AffectedRecord | null {
    return this.#found.get(nameOf(affected)) ?? null
  }
}

function nameOf({ pid, stream, record_key: key }: Affected): string {
  return JSON.stringify([pid, stream, key])
}

/** The ids that a key may begin with, the longest first. The id of a comment, or the start of an occurrence, follows after a space. */
function idsIn({ record_key: key }: Affected): string[] {
  return [...new Set([key, key.slice(0, Math.max(0, key.lastIndexOf(' '))), key.split(' ')[0] ?? ''])].filter(
    (id) => id !== '' && id !== '*',
  )
}

/** Rows by their ids; events also by `<id> <start>`, as an id alone names the first occurrence. */
async function rowsById(
  source: BackupRows,
  pid: string,
  { table, id, columns = [] }: Table,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, Row>> {
  const ids = [...new Set(wanted)].sort(compareBytes)
  const rows = new Map<string, Row>()
  const last = ids.at(-1)
  if (last === undefined) return rows
  const only = source.versions === undefined ? {} : { ids }
  for await (const row of source.rows(table, { pid, columns: ['pid', id, 'name', ...columns], ...only })) {
    const own = keyOf(row, id)
    // Rows come in the order of their ids.
    if (compareBytes(own, last) > 0) break
    if (!ids.includes(own)) continue
    const startsAt = textOf(row, 'starts_at')
    if (startsAt !== null) rows.set(`${own} ${startsAt}`, row)
    if (!rows.has(own)) rows.set(own, row)
  }
  return rows
}

function linkedRecord(pid: string, { kind, id }: Table, row: Row): Parameters<ReportLinks['record']>[0] {
  const placing = {
    startsAt: textOf(row, 'starts_at'),
    archived: row['archived'] === true,
    createdAt: textOf(row, 'created_at'),
    updatedAt: textOf(row, 'updated_at'),
  }
  const after = { pid, parent_id: textOf(row, 'entry_id'), title: textOf(row, 'name') }
  return { kind, id: keyOf(row, id), after, placing }
}
