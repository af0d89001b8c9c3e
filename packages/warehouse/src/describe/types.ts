/** A schema as the database itself describes it: the content of a data dictionary. */
export interface SchemaDescription {
  readonly schema: string
  readonly historySchema: string
  readonly version: number
  /** Of both schemas: resource tables in their own order, then by kind and name. */
  readonly objects: readonly DescribedObject[]
  /** Which rows name which others. For people: the database enforces none of it. */
  readonly relations: readonly Relation[]
}

/** A table, view or function with its comment. */
export interface DescribedObject {
  readonly schema: string
  readonly kind: 'table' | 'view' | 'function'
  readonly name: string
  /** Its COMMENT; `null` when it has none. */
  readonly comment: string | null
  /** Of a table or view; of a function none. */
  readonly columns: readonly DescribedColumn[]
  /** Of a function: its arguments with their types, and what it returns. */
  readonly signature?: { readonly arguments: string; readonly returns: string }
}

/** A column of a table or view with its comment. */
export interface DescribedColumn {
  readonly name: string
  readonly type: string
  /** A view's columns all count as nullable: the database does not say more. */
  readonly nullable: boolean
  readonly comment: string | null
  /** Its place in the primary key, from 1; `null` outside of it. */
  readonly key: number | null
}

/** Rows of `table` name rows of `toTable`, column by column. */
export interface Relation {
  readonly table: string
  readonly columns: readonly string[]
  readonly toTable: string
  readonly toColumns: readonly string[]
  /** There may be no such row: the column is null, or names what is not stored. */
  readonly optional: boolean
}
