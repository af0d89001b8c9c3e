import type { Received, Resource, User } from '@collab-etl/contract'
import { EPOCH } from '@collab-etl/contract/timestamp'
import type { Column, ColumnType, Table, TableName } from './table.ts'

/** Names of the fields of `R` that hold a `V`. */
type FieldOf<R, V> = {
  [N in keyof R & string]-?: NonNullable<R[N]> extends V ? N : never
}[keyof R & string]

/** Declares a column of one kind, for the field `from` of the record; it may be left out where the column has the field's name. */
interface Declare<F extends string> {
  (name: F): Column
  (name: string, from: F): Column
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

/** The column with another comment than the field's description: where it says more. */
export const commented = (comment: string, column: Column): Column => ({ ...column, comment })

/** A field that the service may leave out. */
export const optional = (column: Column): Column => {
  const { write = stored } = column
  return { ...column, write: (cell, origin) => write(cell, origin) ?? undefined }
}

/**
 * The kinds of columns of a resource's records, each for the fields that may have it. The comment of a column is the description of its
 * field in the contract, with the meanings of an enumeration.
 * @param prefix the object within the record that holds the fields
 * @example
 * const of = columnsOf(Page)
 * of.text('name')
 * of.text('description', 'desc')
 */
export function columnsOf<S extends Resource>({ title, properties }: S, prefix = '') {
  type R = Received<S>
  const declare =
    <V>(kind: Pick<Column, 'type' | 'collateC'>, read: Read, write: Write = stored): Declare<FieldOf<R, V>> =>
    (name: string, from: string = name) => {
      const field: { readonly description?: unknown } = properties[from] ?? {}
      if (typeof field.description !== 'string') throw new TypeError(`${title}.${from} has no description`)
      return { name, comment: field.description, ...kind, from: `${prefix}${from}`, read, write }
    }
  return {
    /** An id that is never null. */
    key: declare<string>(ID, 'key'),
    /** An id; NULL for the empty text, by which the service says that there is none. */
    id: declare<string>(ID, 'id', (cell) => cell ?? ''),
    text: declare<string>({ type: 'text' }, 'text'),
    texts: declare<readonly string[]>({ type: 'text[]' }, 'texts', (cell) => cell ?? []),
    /** 0 or 1. */
    flag: declare<number>({ type: 'boolean' }, 'flag', (cell) => (typeof cell === 'boolean' ? Number(cell) : null)),
    /** The service's number. */
    enumeration: declare<number | string>({ type: 'smallint' }, 'smallint'),
    integer: declare<number>({ type: 'integer' }, 'integer'),
    double: declare<number>({ type: 'double precision' }, 'double'),
    /** A number of bytes, sent as text; another text is in `extra`. */
    size: declare<string>({ type: 'bigint' }, 'bigint', (cell, { extra }) => String(cell ?? extra['size'] ?? '')),
    time: declare<string>({ type: 'timestamptz' }, 'timestamp'),
    /** NULL for the epoch, by which the service says that there is no such time. */
    optionalTime: declare<string>({ type: 'timestamptz' }, 'optionalTime', (cell) => cell ?? EPOCH),
    /** The id of an embedded user, whose place in the record the comment says. */
    user: (name: string, comment: string, from: FieldOf<R, Received<typeof User>>): Column => ({
      name,
      comment,
      ...ID,
      from: `${prefix}${from}`,
      read: 'user',
      write: (cell, { user }) => (typeof cell === 'string' ? user(cell) : null),
    }),
  }
}

/** Declares the tables of a record's lists: `table` for elements whose first column ends the key, `users` for lists of users. */
export function childrenOf(parent: Table) {
  const ids = parent.key.map((name) => {
    const column = parent.columns.find((candidate) => candidate.name === name)
    return given(name, column?.comment ?? name)
  })
  const table = (
    name: TableName,
    about: string,
    columns: readonly [Column, ...Column[]],
    rest: Partial<Table>,
  ): Table => ({
    name,
    comment: about,
    key: [...parent.key, columns[0].name],
    columns: [...ids, ...columns],
    streams: parent.streams,
    deletedBy: 'parent',
    parent: { tables: [parent.name], on: parent.key.filter((column) => column !== 'pid') },
    ...rest,
  })
  return {
    table,
    users: (name: TableName, about: string, field: string): Table =>
      table(name, about, [given('uid', 'user id')], { list: { field, ofUsers: true } }),
  }
}
