import { join } from 'node:path'
import { CliError, type Context, formatCount, futureError, UsageError } from '@collab-etl/cli'
import { type ExportState, type ExportTable, isWarehouseError, type Warehouse } from '@collab-etl/warehouse'
import { HashedFile } from './hashed-file.ts'
import { type ExportedTable, type Format, MANIFEST, type Manifest, manifestOf } from './manifest.ts'
import { parquetFormat } from './parquet.ts'
import { type ExportFormat, textFormat } from './table-writer.ts'

/** Rows on their way to DuckDB. No table has a directory of that name, as it has a dot. */
const SPOOL = 'rows.spool'

export interface ExportChoice {
  readonly format: Format
  readonly asOf: Date | undefined
  /** Default: all. */
  readonly tables: readonly string[] | undefined
}

/**
 * Writes the files of all tables and the manifest into an empty directory, from one state of the warehouse.
 * @throws UsageError if there is no such table, or no run had finished by the time
 */
export async function writeExport(
  warehouse: Warehouse,
  directory: string,
  choice: ExportChoice,
  context: Pick<Context, 'version' | 'signal' | 'progress' | 'log'>,
): Promise<Manifest> {
  const { format, asOf, tables } = choice
  await using files = format === 'parquet' ? await parquetFormat(join(directory, SPOOL)) : textFormat(format)
  try {
    return await warehouse.rows.export({ tables, asOf }, async (state) => {
      reportState(state, asOf, context.log)
      const written: ExportedTable[] = []
      const total = state.tables.length
      const line = context.progress.line({ text: '', done: 0, total })
      for (const [done, table] of state.tables.entries()) {
        const onRow = (rows: number) => {
          context.signal.throwIfAborted()
          line.update(() => ({ text: `${table.name}, ${formatCount(rows)} rows`, done, total }))
        }
        written.push(await writeTable(state, files, directory, table, onRow))
      }
      line.end()
      const made = { tool_version: context.version, file_format: format, is_as_of: asOf !== undefined }
      const manifest = manifestOf(state, written, made)
      const file = new HashedFile(join(directory, MANIFEST))
      file.write(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
      file.end()
      return manifest
    })
  } catch (error) {
    if (isDiskError(error)) {
      throw new CliError(`--out cannot be written to: ${error.message}`, { code: 'OUTPUT', cause: error })
    }
    if (isWarehouseError(error, 'MISUSE')) throw new UsageError(`--table: ${error.message}`, { cause: error })
    throw error
  }
}

/** Codes of a disk that does not take what is written. */
const DISK_ERRORS: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EACCES', 'EMFILE'])

function isDiskError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && DISK_ERRORS.has(error.code)
}

/** Rows after which the progress is updated, and an interruption is noticed. */
const STEP = 1000

async function writeTable(
  { copy }: ExportState,
  format: ExportFormat,
  directory: string,
  table: ExportTable,
  onRow: (rows: number) => void,
): Promise<ExportedTable> {
  const writer = format.begin(directory, table)
  let received = 0
  try {
    const sent = await copy(table.name, format.encoding, (row) => {
      if (++received % STEP === 0) onRow(received)
      return writer.row(row)
    })
    onRow(received)
    const files = await writer.end()
    const rows = files.reduce((sum, file) => sum + file.rows, 0)
    if (rows === sent && received === sent) return { name: table.name, rows, columns: table.columns, files }
    throw new CliError(`table ${table.name}: the database sent ${sent} rows, but ${rows} were written; run again`, {
      code: 'INCOMPLETE',
    })
  } catch (error) {
    await writer.abandon()
    throw error
  }
}

function reportState({ run, runUnderWay }: ExportState, asOf: Date | undefined, log: Context['log']): void {
  if (run === null && asOf !== undefined)
    throw new UsageError(`--as-of ${asOf.toISOString()}: no run had finished by then`)
  const refusal =
    asOf === undefined
      ? null
      : futureError('--as-of', asOf, { byDefault: 'the present state', lastRun: run?.started_at })
  if (refusal !== null) throw refusal
  if (run === null) log.warn('No run has finished yet: tables may be empty or incomplete')
  if (runUnderWay === null) return
  log.warn(`Run ${runUnderWay.run_id} has not ended: projects that it has published are as it found them`)
}
