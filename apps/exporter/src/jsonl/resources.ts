import { JSONL_FILES, type JsonlFile, jsonlFileOf } from '@collab-etl/backups/read'
import type { Row } from '@collab-etl/documents'
import type { RebuiltKind } from '@collab-etl/warehouse'

/** The JSON lines files of a project: `data/jsonl/<project>/<name>.jsonl`. Those of webhooks are not read back. */
export type RecordFile = JsonlFile['name'] | 'webhooks'

/** The folder of all JSON lines, relative to `data/`. */
export const JSONL_FOLDER = 'jsonl'

/** A table whose rows are records, and the files that these go to. */
export interface RecordTable {
  readonly table: (typeof READ_BACK)[number] | 'webhooks'
  readonly files: readonly RecordFile[]
  /** Whether its files are only there if it has records: a service need not offer them. */
  readonly isOptional?: boolean
  /** Where the record of a row goes, and its kind; `undefined` for one that goes nowhere. */
  readonly place: (
    row: Row,
  ) => (Pick<JsonlFile, 'comments'> & { readonly name: RecordFile; readonly kind: RebuiltKind }) | undefined
}

const PERSONAL_WEBHOOK = 1

const READ_BACK = ['project_members', 'entries', 'tasks', 'pages', 'posts', 'events', 'files'] as const

/** What only the list of task groups shows. Of other groups no record was received: tasks name them. */
const LISTED = ['position', 'created_at', 'updated_at', 'extra']

/** What becomes JSON lines; the project itself and teams aside. */
export const RECORD_TABLES: readonly RecordTable[] = [
  ...READ_BACK.map((table): RecordTable => {
    const isReceived = (row: Row) => table !== 'entries' || LISTED.some((column) => (row[column] ?? null) !== null)
    const place = (row: Row) => (isReceived(row) ? jsonlFileOf(table, row) : undefined)
    const isOptional = table === 'project_members' || table === 'entries'
    return { table, isOptional, files: JSONL_FILES[table].map(({ name }) => name), place }
  }),
  {
    table: 'webhooks',
    files: ['webhooks'],
    // A personal one is its owner's, even where it names a project.
    place: (row) => (row['type'] === PERSONAL_WEBHOOK ? undefined : { name: 'webhooks', kind: 'webhook' }),
  },
]
