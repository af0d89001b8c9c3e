import type { Extra, Table } from '../tables/table.ts'
import { type Cell, LEFT_OUT } from '../tables/table.ts'
import { users } from '../tables/users.ts'
import { FieldReader } from './field-reader.ts'
import type { RecordIssues } from './record-issues.ts'
import { type KnownUser, newShown, type ReceivedUser, type ScopeMemory } from './scope-memory.ts'

/** Rows of one table: cells in the order of the table's columns, then `extra`; and the record each row was made from. */
export interface TableRows {
  readonly table: Table
  readonly rows: Cell[][]
  /** Index of the record within its batch, row by row. */
  readonly records: number[]
  /** Columns whose fields were left out of the record, by the row's index; see `LEFT_OUT_COLUMN`. */
  readonly leftOut: Map<number, readonly string[]>
  /** By the row's index, how a record describes others, if that differs from the first of the scope, as JSON; see `SHOWN_COLUMN`. */
  readonly shown: Map<number, string>
}

/** The cells of a row, those that are given and those read from the record. */
type ReadCells = (reader: FieldReader, given: readonly Cell[], record: object) => Cell[]

type Fields = Readonly<Record<string, unknown>>

export class RowWriter extends FieldReader {
  readonly memory: ScopeMemory
  /** What the current record shows of others. */
  shown = newShown()
  readonly #tables = new Map<Table, TableRows>()

  constructor(pid: string | null, memory: ScopeMemory) {
    super(pid)
    this.memory = memory
  }

  get tables(): TableRows[] {
    return [...this.#tables.values()]
  }

  /**
   * The cells of a record's row: those of its first columns are given (its project, the record that holds its list), the others are read
   * from its fields. The last one is that of `extra`, and empty (see `setExtra`): an array that grows is copied into a larger one.
   */
  cells(table: Table, given: readonly Cell[], record: object): Cell[] {
    return readerOf(table, given.length)(this, given, record)
  }

  /** Writes the row of a record and gives its cells. @param nested unknown fields of objects within it, by the objects' names */
  write(
    table: Table,
    given: readonly Cell[],
    record: object,
    own: Extra | null | undefined,
    nested?: Readonly<Record<string, Extra | undefined>>,
  ): Cell[] {
    const cells = this.cells(table, given, record)
    this.setExtra(cells, own, nested)
    this.row(table, cells)
    return cells
  }

  /** Sets the last of a row's cells to the record's unknown fields (see `extra`). */
  setExtra(cells: Cell[], ...unknown: Parameters<FieldReader['extra']>): void {
    cells[cells.length - 1] = this.extra(...unknown)
  }

  /** Adds a row whose cells are complete. */
  row(table: Table, cells: Cell[], shown: Fields | null = null): void {
    let rows = this.#tables.get(table)
    if (rows === undefined) {
      rows = { table, rows: [], records: [], leftOut: new Map(), shown: new Map() }
      this.#tables.set(table, rows)
    }
    if (this.issues !== null || this.unsent.size > 0) {
      const columns = leftOutColumns(table, cells, this.issues)
      if (columns.length > 0) rows.leftOut.set(rows.rows.length, columns)
    }
    if (shown !== null) rows.shown.set(rows.rows.length, JSON.stringify(shown))
    rows.rows.push(cells)
    rows.records.push(this.record)
  }

  /** Writes an embedded user and gives the id to refer to. */
  override user(user: ReceivedUser | null | undefined, field: string): Cell {
    if (user === null || user === undefined) return this.isLeftOut(field) ? LEFT_OUT : null
    if (user.uid === '') return null
    this.within(field)
    const uid = this.#refer(user)
    this.within('')
    return uid
  }

  /** Writes a list of users, and for each a row of `table`: `key`, then the user's id. */
  users(table: Table, list: readonly ReceivedUser[], key: readonly Cell[]): void {
    const field = table.list?.field ?? ''
    const guard = this.newList()
    const cells = [...key, null, null]
    for (let index = 0; index < list.length; index++) {
      const user = list[index]
      if (user === undefined) continue
      this.within(field, index)
      if (user.uid === '') {
        this.lose('', 'unkeyed', user)
        continue
      }
      const uid = this.#refer(user)
      cells[key.length] = uid
      if (guard.isNew(uid, user)) this.row(table, cells.slice())
    }
    this.within('')
  }

  /** Writes the elements of a list; `id` gives the last part of their key. */
  list<I extends string>(
    table: Table,
    list: readonly (Readonly<Record<I, string>> & { readonly extra?: Extra | null | undefined })[],
    key: readonly Cell[],
    id: I,
  ): void {
    const field = table.list?.field ?? ''
    const guard = this.newList()
    const given = [...key, null]
    for (let index = 0; index < list.length; index++) {
      const element = list[index]
      if (element === undefined) continue
      this.within(field, index)
      const last = this.key(element[id], id)
      given[key.length] = last
      if (guard.isNew(last, element)) this.write(table, given, element, element.extra)
    }
    this.within('')
  }

  /** The stored id of a user, who is written unless he was written before just so. */
  #refer(user: ReceivedUser): string {
    const known = this.memory.knownUser(user) ?? this.#writeUser(user)
    this.shown.users.push(known)
    this.shown.isExact &&= known.isExact
    return known.uid
  }

  #writeUser(user: ReceivedUser): KnownUser {
    const losses = this.losses.length
    const uid = this.key(user.uid, 'uid')
    this.write(users, [uid], user, user.extra)
    return this.memory.rememberUser({ uid, user, isExact: this.losses.length === losses })
  }
}

const readers = new Map<Table, { readonly given: number; readonly read: ReadCells }>()

/** Reads the columns of a table behind the first `given` ones; compiled once. */
function readerOf(table: Table, given: number): ReadCells {
  let reader = readers.get(table)
  if (reader?.given !== given) {
    reader = { given, read: compile(table, given) }
    readers.set(table, reader)
  }
  return reader.read
}

/**
 * A function with one expression for each column: a loop over the columns takes a fifth longer. Its text is made of declarations in
 * `tables/`, never of data.
 */
function compile({ name: table, columns }: Table, given: number): ReadCells {
  const cells = columns.map(({ name, from = '', read }, index) => {
    if (index < given) return `given[${index}]`
    if (read === undefined) throw new TypeError(`column ${name} of ${table} is given, not read from a field`)
    if (typeof read === 'function') return `columns[${index}].read(reader)`
    const value = from.split('.').map((field) => `[${JSON.stringify(field)}]`)
    return `reader.${read}(record${value.join('?.')}, ${JSON.stringify(from)})`
  })
  const make = new Function('columns', `return (reader, given, record) => [${cells.join(', ')}, null]`)
  return make(columns) as ReadCells // the text above is that of such a function
}

/**
 * Replaces the cells of fields that were left out by NULL and names their columns. Of a record's own row, also what `extra` may
 * hold of such a field (`extra:project`).
 */
function leftOutColumns(table: Table, cells: Cell[], issues: RecordIssues | null): readonly string[] {
  const names: string[] = []
  for (const [index, cell] of cells.entries()) {
    if (cell !== LEFT_OUT) continue
    cells[index] = null
    names.push(table.columns[index]?.name ?? 'extra')
  }
  if (table.isRecord === true && issues !== null) names.push(...issues.leftOut.map((name) => `extra:${name}`))
  return names
}
