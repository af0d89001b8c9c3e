import type { Content } from '@collab-etl/backups'
import type { Row } from '@collab-etl/documents'
import { type RebuiltKind, type TableName, tableByName } from '@collab-etl/warehouse'

/** The JSON lines files of a project: `data/jsonl/<project>/<name>.jsonl`. */
export type RecordFile = 'project' | 'tasks' | 'archived_tasks' | 'pages' | 'posts' | 'events' | 'files' | 'webhooks'

/** The folder of all JSON lines, relative to `data/`. */
export const JSONL_FOLDER = 'jsonl'

/** A table whose rows are records, and the files that these go to. */
export interface RecordTable {
  readonly table: Extract<TableName, Content> | 'webhooks'
  readonly files: readonly RecordFile[]
  /** Where the record of a row goes, and its kind; `null` for one that goes nowhere. */
  readonly place: (row: Row) => { readonly file: RecordFile; readonly kind: RebuiltKind } | null
}

const PERSONAL_WEBHOOK = 1

/** What becomes JSON lines; the project itself aside. */
export const RECORD_TABLES: readonly RecordTable[] = [
  {
    table: 'tasks',
    files: ['tasks', 'archived_tasks'],
    place: (row) =>
      row['archived'] === true ? { file: 'archived_tasks', kind: 'archived_task' } : { file: 'tasks', kind: 'task' },
  },
  { table: 'pages', files: ['pages'], place: () => ({ file: 'pages', kind: 'page' }) },
  { table: 'posts', files: ['posts'], place: () => ({ file: 'posts', kind: 'post' }) },
  { table: 'events', files: ['events'], place: () => ({ file: 'events', kind: 'event' }) },
  { table: 'files', files: ['files'], place: () => ({ file: 'files', kind: 'file' }) },
  {
    table: 'webhooks',
    files: ['webhooks'],
    // A personal one is its owner's, even where it names a project.
    place: (row) => (row['type'] === PERSONAL_WEBHOOK ? null : { file: 'webhooks', kind: 'webhook' }),
  },
]

/** The columns in which children name the record that they belong to, `pid` aside. */
export function parentColumns(child: TableName): readonly string[] {
  const { parent } = tableByName(child)
  if (parent === undefined) throw new TypeError(`${child} belongs to its project only`)
  return parent.on
}
