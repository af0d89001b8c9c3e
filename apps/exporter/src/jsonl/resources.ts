import type { Content } from '@collab-etl/backups'
import { JSONL_FILES, type JsonlFile, jsonlFileOf } from '@collab-etl/backups/read'
import type { Row } from '@collab-etl/documents'
import type { RebuiltKind, TableName } from '@collab-etl/warehouse'

/** The JSON lines files of a project: `data/jsonl/<project>/<name>.jsonl`. Those of webhooks are not read back. */
export type RecordFile = JsonlFile['name'] | 'webhooks'

/** The folder of all JSON lines, relative to `data/`. */
export const JSONL_FOLDER = 'jsonl'

/** A table whose rows are records, and the files that these go to. */
export interface RecordTable {
  readonly table: Extract<TableName, Content> | 'webhooks'
  readonly files: readonly RecordFile[]
  /** Where the record of a row goes, and its kind; `undefined` for one that goes nowhere. */
  readonly place: (row: Row) => { readonly name: RecordFile; readonly kind: RebuiltKind } | undefined
}

const PERSONAL_WEBHOOK = 1

const READ_BACK = ['tasks', 'pages', 'posts', 'events', 'files'] as const

/** What becomes JSON lines; the project itself aside. */
export const RECORD_TABLES: readonly RecordTable[] = [
  ...READ_BACK.map((table): RecordTable => {
    return { table, files: JSONL_FILES[table].map(({ name }) => name), place: (row) => jsonlFileOf(table, row) }
  }),
  {
    table: 'webhooks',
    files: ['webhooks'],
    // A personal one is its owner's, even where it names a project.
    place: (row) => (row['type'] === PERSONAL_WEBHOOK ? undefined : { name: 'webhooks', kind: 'webhook' }),
  },
]
