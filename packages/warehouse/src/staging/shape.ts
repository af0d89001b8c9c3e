import { STREAMS, type StreamName } from '@collab-etl/contract/streams'
import { quoted } from '../names.ts'
import { given, givenAs } from '../tables/columns.ts'
import { KNOWN_ID_TABLES, TABLES, tableByName } from '../tables/index.ts'
import { type Column, type ColumnType, EXTRA, RECORD_HASH, type Table, type TableName } from '../tables/table.ts'

export type ShapeName =
  | TableName
  | 'known_posts'
  | 'known_files'
  | 'task_comments_read'
  | 'team_projects'
  | 'losses'
  | 'unseen'

/** Names the columns of a staged row whose fields were left out of its record; `extra:NAME` for one that `extra` may hold. */
export const LEFT_OUT_COLUMN = '_left_out'

/** How a staged task or event describes its group or project, if that differs from the first record of the scope. */
export const SHOWN_COLUMN = '_shown'

/** The tables whose records contain names of their group or project. */
export const SHOWING: ReadonlySet<ShapeName> = new Set(['tasks', 'events'])

/** The number of a staged row's record (see `createStageTable`). */
const SEQ_COLUMN = '_seq'

export interface Shape {
  readonly name: ShapeName
  readonly columns: readonly Column[]
  /** The columns in the order in which they are copied: `pid` if the rows have the stage's, those of `types`, then those that depend on the stage. */
  readonly copied: readonly string[]
  readonly types: readonly ColumnType[]
  /** Whether each row begins with the project's id. It is no part of what is encoded and hashed for each row. */
  readonly hasPid: boolean
}

/** Whether its rows belong to a project by their key, which then begins with `pid`. */
export function isOfProject(table: Table): boolean {
  return table.key[0] === 'pid'
}

/** Columns of a resource table as they are staged: its own, `extra`, and the hash if it has one. */
export function stagedColumns(table: Table): readonly Column[] {
  return [...table.columns, EXTRA, ...(table.hashed === true ? [RECORD_HASH] : [])]
}

const texts = (...names: readonly string[]) => names.map((name) => givenAs(name, 'text', ''))

const SHAPES: ReadonlyMap<ShapeName, Shape> = new Map(
  [
    ...TABLES.map((table) => shapeOfTable(table)),
    ...KNOWN_ID_TABLES.map(({ known, id }) =>
      shape(known, [given('pid', ''), given(id, ''), givenAs('source', 'text', '')]),
    ),
    shape('losses', texts('stream', 'record_key', 'field', 'kind', 'original')),
    // tasks whose comments were read to the end, with what their records showed then
    shape('task_comments_read', [
      given('pid', ''),
      given('tid', ''),
      givenAs('comment_count', 'integer', ''),
      givenAs('updated_at', 'timestamptz', ''),
    ]),
    { ...shapeOfTable(tableByName('projects'), false), name: 'team_projects' as const },
    // hashes of stored records that were not read unchanged
    shape('unseen', [given('pid', ''), RECORD_HASH]),
  ].map((each) => [each.name, each]),
)

function shape(name: ShapeName, columns: readonly Column[]): Shape {
  const copied = [...columns.map((column) => column.name), SEQ_COLUMN]
  return { name, columns, copied, types: columns.map(({ type }) => type), hasPid: false }
}

function shapeOfTable(table: Table, hasPid = isOfProject(table)): Shape {
  const columns = stagedColumns(table)
  const own = columns.slice(hasPid ? 1 : 0).filter((column) => column !== RECORD_HASH)
  const copied = [
    ...(hasPid ? ['pid'] : []),
    ...own.map(({ name }) => name),
    ...(SHOWING.has(table.name) ? [SHOWN_COLUMN] : []),
    ...(table.hashed === true ? [RECORD_HASH.name] : []),
    ...[LEFT_OUT_COLUMN, SEQ_COLUMN],
  ]
  return { name: table.name, columns, copied, types: own.map(({ type }) => type), hasPid }
}

export function shapeOf(name: ShapeName): Shape {
  const shape = SHAPES.get(name)
  if (shape === undefined) throw new TypeError(`nothing is staged as ${name}`)
  return shape
}

/** As what the rows of a table are staged. Projects that the lists of teams show are staged apart: each has an id of its own. */
export function stagedAs(table: TableName, stream: StreamName): Shape {
  return shapeOf(table === 'projects' && stream === 'teams' ? 'team_projects' : table)
}

/** `_seq` numbers the records of a stage: rows of one record share it, and those of one stream are a range. */
export function createStageTable(table: string, columns: readonly Column[]): string {
  const definitions = columns.map(({ name, type, collateC }, place) => {
    // statements look for rows of the project: one without its id would be lost
    const isNeverNull = place === 0 && name === 'pid'
    return `${quoted(name)} ${type}${collateC === true ? ' COLLATE "C"' : ''}${isNeverNull ? ' NOT NULL' : ''}`
  })
  return `CREATE UNLOGGED TABLE IF NOT EXISTS ${table} (${definitions.join(', ')}, ${LEFT_OUT_COLUMN} text[], ${SHOWN_COLUMN} jsonb, ${SEQ_COLUMN} integer NOT NULL) WITH (autovacuum_enabled = false)`
}

/** The columns of a staging table as it is created. */
export function columnsOfStageTable(name: ShapeName): string[] {
  return [...shapeOf(name).columns.map((column) => column.name), LEFT_OUT_COLUMN, SHOWN_COLUMN, SEQ_COLUMN]
}

export function isShapeName(name: string): name is ShapeName {
  return SHAPES.has(name as ShapeName) // any key may be looked up
}

/**
 * `_seq` of a staged row: the stream's number in the upper bits, the record's number within the stream in the lower 27.
 * So the rows of a stream are a range, and of two records with one key the later has the higher number.
 */
export const SEQ_BITS = 27

export const MAX_RECORDS = 2 ** SEQ_BITS

export function streamIndex(stream: StreamName): number {
  return STREAMS.indexOf(stream)
}

export function streamAt(index: number): StreamName {
  const stream = STREAMS[index]
  if (stream === undefined) throw new TypeError(`no stream has the number ${index}`)
  return stream
}

/** Whether a stream emits a record again when it changed meanwhile: the later one is an update, not a duplicate. */
export function mayRepeat(stream: StreamName): boolean {
  return stream === 'archived_tasks'
}

/** Whether a complete reading of a stream may leave records out: it has no content hash. Only some tasks are asked for their comments. */
export function isReadInParts(stream: StreamName): boolean {
  return stream === 'task_comments'
}

/** The first `_seq` of a stream. */
export function firstSeq(stream: StreamName): number {
  return streamIndex(stream) * MAX_RECORDS
}
