import { TABLES } from '../tables/index.ts'
import { LOG_TABLES } from '../tables/run-log.ts'
import { type Column, type ColumnType, EXTRA, type Table, type TableName } from '../tables/table.ts'

export interface FeedColumn {
  readonly name: string
  readonly type: ColumnType
  readonly comment: string
}

export interface FeedTable {
  readonly name: TableName | LogName
  readonly comment: string
  /** Columns that name a record; never null. */
  readonly key: readonly string[]
  readonly columns: readonly FeedColumn[]
  /** Whether a feed can read what changed since a run. Of other tables, it reads all rows each time. */
  readonly isTracked: boolean
}

/** When the version of a row was written, or the row was marked deleted. */
export const CHANGED_AT: FeedColumn = {
  name: 'changed_at',
  type: 'timestamptz',
  comment: 'start of the run that wrote this version, or that found the record gone',
}

/** The name by which Singer's targets know deleted rows. */
export const DELETED_AT: FeedColumn = {
  name: '_sdc_deleted_at',
  type: 'timestamptz',
  comment: 'start of the run that found the record gone; null while it exists',
}

const VALID_FROM: FeedColumn = {
  name: 'valid_from',
  type: 'timestamptz',
  comment: 'start of the run that first saw this version',
}

/** Times of a version that a feed adds to the columns of a resource table. */
export const VERSION_COLUMNS: readonly FeedColumn[] = [VALID_FROM, CHANGED_AT, DELETED_AT]

const LOG_NAMES = ['runs', 'accounts', 'project_accounts'] as const

type LogName = (typeof LOG_NAMES)[number]

/** Columns of `runs` that only this tool needs; and its accounts, a list, which have a table. */
const LEFT_OUT: ReadonlySet<string> = new Set(['options', 'generation', 'accounts'])

/** Of the run log. A row of `runs` is complete once its run has ended. */
const LOG: readonly FeedTable[] = LOG_TABLES.flatMap(({ name: logged, comment, key, columns }) => {
  const name = LOG_NAMES.find((known) => known === logged)
  if (name === undefined) return []
  const shown = columns.filter((column) => !LEFT_OUT.has(column.name)).map(columnOf)
  return [{ name, comment, key, columns: shown, isTracked: false }]
})

/** Whether its rows have no versions. */
export const isOfLog = (table: FeedTable): boolean => LOG.includes(table)

/** Every table that a feed reads, in the order of the documentation. */
export const FEED_TABLES: readonly FeedTable[] = [...TABLES.map(resource), ...LOG]

function resource(table: Table): FeedTable {
  return {
    name: table.name,
    comment: table.comment,
    key: table.key,
    columns: [...[...table.columns, EXTRA, ...(table.kept ?? [])].map(columnOf), ...VERSION_COLUMNS],
    // volatile columns are updated without a new version
    isTracked: !table.columns.some((column) => column.volatile === true),
  }
}

function columnOf({ name, type, comment }: Column): FeedColumn {
  return { name, type, comment }
}
