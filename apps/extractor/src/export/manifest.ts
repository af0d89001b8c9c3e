import type { ExportState } from '@collab-etl/warehouse'
import type { WrittenFile } from './table-writer.ts'

/** The file that says what an export holds. It is written last. */
export const MANIFEST = 'export.json'

/** Marks a manifest as ours; a change of its form gets another number. */
const FORM = 'collab-extract export 1'

export const FORMATS = ['parquet', 'csv', 'jsonl'] as const

export type Format = (typeof FORMATS)[number]

/** A table of a finished export. */
export interface ExportedTable {
  readonly name: string
  readonly rows: number
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly files: readonly WrittenFile[]
}

/** The content of `export.json`, and of the command's `--json`. */
export interface Manifest {
  readonly form: string
  readonly tool_version: string
  readonly file_format: Format
  /** The time of the state. */
  readonly at: string
  /** Whether only rows are there that existed then; else deleted ones are, too. */
  readonly is_as_of: boolean
  readonly schema: string
  readonly schema_version: number
  readonly base_url: string | null
  readonly run: ExportState['run']
  readonly run_under_way: ExportState['runUnderWay']
  readonly tables: readonly ExportedTable[]
}

/** The manifest of a state whose tables were written. */
export function manifestOf(
  state: ExportState,
  tables: readonly ExportedTable[],
  made: Pick<Manifest, 'tool_version' | 'file_format' | 'is_as_of'>,
): Manifest {
  return {
    form: FORM,
    ...made,
    at: state.at,
    schema: state.schema,
    schema_version: state.schemaVersion,
    base_url: state.baseUrl,
    run: state.run,
    run_under_way: state.runUnderWay,
    tables,
  }
}

/** The paths of the files that a manifest lists, itself included; `null` if the text is no manifest of this command. */
export function listedFiles(text: string): string[] | null {
  try {
    const { form, tables } = JSON.parse(text) as Manifest
    if (form !== FORM) return null
    return [MANIFEST, ...tables.flatMap(({ files }) => files.map(({ path }) => path))]
  } catch {
    return null
  }
}
