import type { StreamName } from '@collab-etl/contract/streams'

/** A value of a row: timestamps are ISO texts in UTC, `bigint`s too large for a number are texts. */
export type Cell = string | number | boolean | null | readonly string[] | { readonly [field: string]: unknown }

/** Marks a cell whose field was left out of its record: staged as NULL, and then replaced by the stored value. */
export const LEFT_OUT: Cell = Object.freeze({ leftOut: true })

export type TableName =
  | 'projects'
  | 'project_labels'
  | 'project_members'
  | 'teams'
  | 'users'
  | 'entries'
  | 'tasks'
  | 'task_labels'
  | 'task_todos'
  | 'task_members'
  | 'task_watchers'
  | 'task_comments'
  | 'pages'
  | 'page_watchers'
  | 'posts'
  | 'post_watchers'
  | 'post_comments'
  | 'files'
  | 'file_watchers'
  | 'file_comments'
  | 'comment_files'
  | 'events'
  | 'event_attendees'
  | 'webhooks'

export type ColumnType =
  | 'text'
  | 'timestamptz'
  | 'boolean'
  | 'smallint'
  | 'integer'
  | 'bigint'
  | 'double precision'
  | 'text[]'
  | 'jsonb'
  | 'uuid'

/** The conversions of `FieldReader`. */
type Conversion =
  | 'key'
  | 'id'
  | 'text'
  | 'texts'
  | 'flag'
  | 'smallint'
  | 'integer'
  | 'double'
  | 'bigint'
  | 'timestamp'
  | 'optionalTime'
  | 'user'

/** Unknown fields of a record, as its row keeps them in `extra`. */
export type Extra = Readonly<Record<string, unknown>>

/** Where a record was read. */
interface ReadFrom {
  /** Id of the project as it is stored; `null` for a personal scope. */
  readonly scopePid: string | null
  readonly isArchived: boolean
}

/** What a column needs besides its cell to give back the field that the service sent. */
interface Origin {
  readonly extra: Extra
  /** The user of that id, as a record embeds one. */
  user(uid: string): unknown
}

/**
 * A column as data: the SQL of the schema, the encoding of rows, the records rebuilt from them and the data dictionary derive from
 * it. One without `read` is given with the row: the project, the parent of a list, what a run adds.
 */
export interface Column {
  readonly name: string
  readonly type: ColumnType
  /** The column's COMMENT: what it means, and what its numbers stand for. */
  readonly comment: string
  /** Ids and parts of keys compare byte by byte (`COLLATE "C"`), on every server alike. */
  readonly collateC?: true
  /** A flag: if a record came without the field, the stored value is kept only while this flag is true. */
  readonly keptWhile?: string
  /** Its old values are of no use, as those of a user's presence: it is updated in place, without a new version. Only users have such columns (`publish/users.ts`). */
  readonly volatile?: true
  /** Only some of the records that show a user have it: others leave the stored value as it is. Only users have such columns (`publish/users.ts`). */
  readonly keptIfMissing?: true
  /** The record's field that it holds; `badges.todo_count` for one of an embedded object. */
  readonly from?: string
  /** The conversion of the field's value to a cell; a function for cells that are not from a field. */
  readonly read?: Conversion | ((from: ReadFrom) => Cell)
  /** The inverse of `read`: the value that the service sent; `undefined` where it leaves the field out. */
  readonly write?: (cell: unknown, origin: Origin) => unknown
}

/**
 * What marks rows of a table deleted:
 * - `absence`: their scope was read completely and they were not in it
 * - `parent`: their parent was read and they were not in it, or their parent is marked deleted
 * - `gone`: the service answered that they do not exist
 * - `list`: they left the list of projects
 * - `never`
 */
export type DeletedBy = 'absence' | 'parent' | 'gone' | 'list' | 'never'

export interface Parent {
  readonly tables: readonly TableName[]
  /** Columns of the child that name its parent. */
  readonly on: readonly string[]
  /**
   * The lists are read apart from their parents: this stream reads some of them, and what it stages under this name are the parents whose
   * lists it has read to the end. Default: a parent is staged with its list.
   */
  readonly readBy?: { readonly stream: StreamName; readonly staged: 'task_comments_read' }
  /** Those of them that name the parent of a list that could not be read; default: all. */
  readonly unsureBy?: readonly string[]
  /**
   * Where the parents of one table call these columns otherwise: the parent's column by the child's. The child's columns
   * that are not named here hold the constants of `fixed`.
   */
  readonly as?: Partial<
    Record<
      TableName,
      {
        readonly columns: Readonly<Record<string, string>>
        readonly fixed: Readonly<Record<string, string>>
      }
    >
  >
}

/** A field of a record that is a list, and how its elements are rebuilt from rows. */
interface ListField {
  readonly field: string
  /** Its elements are users, of whom the rows hold the ids alone. */
  readonly ofUsers?: true
  /** The column that gives the order of the elements; default: that of the table's key. */
  readonly orderBy?: string
}

/** Rows that exist, in SQL. */
export const LIVE = 'deleted_at IS NULL'

/** An index beside the primary key. */
export interface Index {
  readonly name: string
  readonly columns: readonly string[]
  /** Which rows it holds, in SQL; default: all. */
  readonly where?: string
}

/** A resource table as data: its SQL, staging, merge and reading are made from it. */
export interface Table {
  readonly name: TableName
  readonly comment: string
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[]
  /** All columns but `extra`, `valid_from` and `deleted_at`, which every resource table has after these. */
  readonly columns: readonly Column[]
  /** Columns that runs keep besides, last of all: part of a version, but of no record. */
  readonly kept?: readonly Column[]
  /** The streams whose records become its rows. */
  readonly streams: readonly [StreamName, ...StreamName[]]
  /**
   * The one of these streams that lists the rows, where the service offers that list; the others only name them. Once it was read
   * completely, it alone decides which rows exist.
   */
  readonly listedBy?: StreamName
  readonly deletedBy: DeletedBy
  /** Whose child it is (one of several tables, where more are named), and the columns by which it is found, `pid` aside. */
  readonly parent?: Parent
  /** The list of the parent's record whose elements become its rows. */
  readonly list?: ListField
  /** Each row is a record of its own, or an element of one's list; unlike those, records may come twice. */
  readonly isRecord?: true
  /** Several records may hold the same row; one of them counts, and that is no loss. */
  readonly shared?: true
  /**
   * Keeps a hash of each record, so that unchanged ones need not be staged. Only for records whose rows in other tables
   * belong to no other record.
   */
  readonly hashed?: true
  readonly indexes?: readonly Index[]
}

/** What the service sent beyond a table's own columns; part of a version, as these are. */
export const EXTRA: Column = {
  name: 'extra',
  type: 'jsonb',
  comment: 'fields the service sent and no column holds; null when there are none',
}

/** The columns that every resource table has after its own. */
export const COMMON_COLUMNS: readonly Column[] = [
  EXTRA,
  { name: 'valid_from', type: 'timestamptz', comment: 'start of the run that first saw this version' },
  {
    name: 'deleted_at',
    type: 'timestamptz',
    comment: 'start of the run that found it gone; null while it exists',
  },
]

/** The column in which a `hashed` table keeps the hash; last of all, and not in its history. */
export const RECORD_HASH: Column = {
  name: 'record_hash',
  type: 'uuid',
  comment:
    'hash of the record with its lists as it was read, by which the next run knows that nothing changed; null: to be compared value by value',
}

/** Columns of a version, without the times of its validity. */
export function versionColumns(table: Table): string[] {
  return [...table.columns, EXTRA, ...(table.kept ?? [])].map((column) => column.name)
}

export function allColumns(table: Table): readonly Column[] {
  return [...table.columns, ...COMMON_COLUMNS, ...(table.hashed === true ? [RECORD_HASH] : []), ...(table.kept ?? [])]
}
