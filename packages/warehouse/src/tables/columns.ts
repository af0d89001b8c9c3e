import { EPOCH } from '@collab-etl/contract/timestamp'
import type { ReceivedUser } from '../convert/scope-memory.ts'
import type { Column, ColumnType, Table, TableName } from '../convert/table.ts'

/** Names of the fields of `R` that hold a `V`. */
type FieldOf<R, V> = {
  [N in keyof R & string]-?: NonNullable<R[N]> extends V ? N : never
}[keyof R & string]

/** Declares a column of one kind, for the field `from` of the record; it may be left out where the column has the field's name. */
interface Declare<F extends string> {
  (name: F, comment: string): Column
  (name: string, comment: string, from: F): Column
}

type Enumeration<F extends string> = {
  (name: F, comment: string, meanings: Readonly<Record<number, string>>): Column
  (name: string, comment: string, meanings: Readonly<Record<number, string>>, from: F): Column
}

type Read = NonNullable<Column['read']>
type Write = NonNullable<Column['write']>

const stored: Write = (cell) => cell ?? null

/** An identifier: compares byte by byte on every server alike. */
const ID = { type: 'text', collateC: true } as const

/** A column that is given with the row and not read from a field: the project, the parent of a list. */
export const given = (name: string, comment: string): Column => ({ name, comment, ...ID })

/** The same for values of any type. */
export const givenAs = (name: string, type: ColumnType, comment: string): Column => ({ name, type, comment })

/** The project that a record was read from; a record that names another has it in `extra`. */
export const project: Column = {
  ...given('pid', 'project id'),
  from: 'pid',
  write: (cell, { extra }) => extra['pid'] ?? cell ?? '',
}

/** A field that the service may leave out. */
export const optional = (column: Column): Column => {
  const { write = stored } = column
  return { ...column, write: (cell, origin) => write(cell, origin) ?? undefined }
}

/**
 * The kinds of columns of a record of type `R`, each for the fields that may have it.
 * @param prefix the object within the record that holds the fields
 * @example
 * const of = columnsOf<Received<typeof Page>>()
 * of.text('name', 'document name')
 * of.time('created_at', 'creation time')
 */
export function columnsOf<R>(prefix = '') {
  const declare =
    <V>(kind: Pick<Column, 'type' | 'collateC'>, read: Read, write: Write = stored): Declare<FieldOf<R, V>> =>
    (name: string, comment: string, from = name) => ({ name, comment, ...kind, from: `${prefix}${from}`, read, write })
  return {
    /** An id that is never null. */
    key: declare<string>(ID, 'key'),
    /** An id; NULL for the empty text, by which the service says that there is none. */
    id: declare<string>(ID, 'id', (cell) => cell ?? ''),
    text: declare<string>({ type: 'text' }, 'text'),
    texts: declare<readonly string[]>({ type: 'text[]' }, 'texts', (cell) => cell ?? []),
    /** 0 or 1. */
    flag: declare<number>({ type: 'boolean' }, 'flag', (cell) => (typeof cell === 'boolean' ? Number(cell) : null)),
    /** The service's number, with its meanings in the comment. */
    enumeration: ((name: string, comment: string, meanings: Readonly<Record<number, string>>, from = name) => ({
      name,
      type: 'smallint',
      comment: `${comment}: ${Object.entries(meanings)
        .map(([value, meaning]) => `${value} = ${meaning}`)
        .join(', ')}`,
      from: `${prefix}${from}`,
      read: 'smallint',
      write: stored,
    })) as Enumeration<FieldOf<R, number | string>>, // a function of a union of arguments is not seen as its overloads
    integer: declare<number>({ type: 'integer' }, 'integer'),
    double: declare<number>({ type: 'double precision' }, 'double'),
    /** A number of bytes, sent as text; another text is in `extra`. */
    size: declare<string>({ type: 'bigint' }, 'bigint', (cell, { extra }) => String(cell ?? extra['size'] ?? '')),
    time: declare<string>({ type: 'timestamptz' }, 'timestamp'),
    /** NULL for the epoch, by which the service says that there is no such time. */
    optionalTime: declare<string>({ type: 'timestamptz' }, 'optionalTime', (cell) => cell ?? EPOCH),
    /** The id of an embedded user. */
    user: declare<ReceivedUser>(ID, 'user', (cell, { user }) => (typeof cell === 'string' ? user(cell) : null)),
  }
}

/**
 * Declares the tables of a record's lists: `table` for elements whose first column ends the key, `users` for lists of users.
 * @param id the record's id column, and its comment
 */
export function childrenOf(parent: TableName, [id, comment]: readonly [string, string], streams: Table['streams']) {
  const table = (
    name: TableName,
    about: string,
    columns: readonly [Column, ...Column[]],
    rest: Partial<Table>,
  ): Table => ({
    name,
    comment: about,
    key: ['pid', id, columns[0].name],
    columns: [given('pid', 'project id'), given(id, comment), ...columns],
    streams,
    deletedBy: 'parent',
    parent: { tables: [parent], on: [id] },
    ...rest,
  })
  return {
    table,
    users: (name: TableName, about: string, field: string): Table =>
      table(name, about, [given('uid', 'user id')], { list: { field, ofUsers: true } }),
  }
}
