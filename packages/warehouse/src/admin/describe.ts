import { type Connection, type Driver, records } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { TABLES } from '../tables/index.ts'
import { SCHEMA_VERSION } from '../tables/schema.ts'
import type { Table } from '../tables/table.ts'

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

/** Reads the database's catalogue. The same schema gives the same description on every server and driver. */
export async function describeSchema(driver: Driver, schema: SchemaNames): Promise<SchemaDescription> {
  const schemas = [schema.name, schema.historyName] as const
  return await driver.transaction(
    async (connection) => {
      // types of the schema's own tables show without its name
      await connection.script(`SET LOCAL search_path = ${schema.main}`)
      const objects = [...(await relationsOf(connection, schemas)), ...(await functionsOf(connection, schemas))]
      objects.sort((a, b) => compare(rank(a, schemas), rank(b, schemas)) || compare(titleOf(a), titleOf(b)))
      const present = new Set(objects.filter((object) => object.schema === schema.name).map(({ name }) => name))
      const relations = allRelations().filter(({ table, toTable }) => present.has(table) && present.has(toTable))
      return { schema: schema.name, historySchema: schemas[1], version: SCHEMA_VERSION, objects, relations }
    },
    { readOnly: true },
  )
}

interface CatalogueRow extends DescribedColumn {
  readonly schema: string
  readonly object: string
  readonly relkind: string
  readonly object_comment: string | null
}

async function relationsOf(connection: Connection, schemas: readonly string[]): Promise<DescribedObject[]> {
  const result = await connection.query(
    `SELECT n.nspname::text AS schema, c.relname::text AS object, c.relkind::text AS relkind,
       obj_description(c.oid, 'pg_class') AS object_comment,
       a.attname::text AS name, format_type(a.atttypid, a.atttypmod) AS type,
       NOT a.attnotnull AS nullable, col_description(c.oid, a.attnum) AS comment,
       array_position(k.conkey, a.attnum)::integer AS key
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
     WHERE n.nspname IN ($1, $2) AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
     ORDER BY n.nspname, c.relname, a.attnum`,
    schemas,
  )
  const objects = new Map<string, DescribedObject & { columns: DescribedColumn[] }>()
  for (const row of records<CatalogueRow>(result)) {
    const id = `${row.schema}.${row.object}`
    let object = objects.get(id)
    if (object === undefined) {
      const kind = row.relkind === 'v' || row.relkind === 'm' ? 'view' : 'table'
      object = { schema: row.schema, kind, name: row.object, comment: row.object_comment, columns: [] }
      objects.set(id, object)
    }
    const { name, type, nullable, comment, key } = row
    object.columns.push({ name, type: shortType(type), nullable, comment, key })
  }
  return [...objects.values()]
}

async function functionsOf(connection: Connection, schemas: readonly string[]): Promise<DescribedObject[]> {
  const result = await connection.query(
    `SELECT n.nspname::text AS schema, p.proname::text AS name, obj_description(p.oid, 'pg_proc') AS comment,
       pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS returns
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname IN ($1, $2) AND p.prokind = 'f'`,
    schemas,
  )
  return records<{ schema: string; name: string; comment: string | null; arguments: string; returns: string | null }>(
    result,
  ).map(({ arguments: given, returns, ...object }) => ({
    ...object,
    kind: 'function',
    columns: [],
    signature: { arguments: shortType(given), returns: shortType(returns ?? 'void') },
  }))
}

/** In the order of the tables' definitions. */
function shortType(text: string): string {
  return text.replaceAll('timestamp with time zone', 'timestamptz')
}

const KINDS: readonly DescribedObject['kind'][] = ['table', 'view', 'function']
const ORDER: ReadonlyMap<string, number> = new Map(TABLES.map(({ name }, index) => [name, index]))

/** The most useful comes first: the schema before its history, tables before views, resources before the run log. */
function rank({ schema, kind, name }: DescribedObject, schemas: readonly string[]): number {
  const place = kind === 'table' ? (ORDER.get(name) ?? TABLES.length) : 0
  return (schemas.indexOf(schema) * KINDS.length + KINDS.indexOf(kind)) * (TABLES.length + 1) + place
}

function titleOf({ name, signature }: DescribedObject): string {
  return `${name}(${signature?.arguments ?? ''}`
}

/** By code unit: the same in every locale. */
function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Columns that name rows of a table by another name than its key's. */
const NAMED_OTHERWISE: Readonly<Record<string, { readonly table: string; readonly key: string }>> = {
  parent_id: { table: 'pages', key: 'page_id' },
  folder_id: { table: 'files', key: 'fid' },
}

/** Tables that are no resources, and so not among `TABLES`. */
const RUN_LOG: readonly Relation[] = [
  relation('known_posts', ['pid', 'post_id'], 'posts', { optional: true }),
  relation('known_files', ['pid', 'fid'], 'files', { optional: true }),
  relation('run_scopes', ['run_id'], 'runs'),
  relation('run_scopes', ['pid'], 'projects', { optional: true }),
  relation('project_accounts', ['pid'], 'projects', { optional: true }),
  relation('project_accounts', ['account'], 'accounts'),
  relation('accounts', ['uid'], 'users', { optional: true }),
  relation('unread_items', ['run_id'], 'runs'),
  relation('unread_items', ['run_id', 'pid', 'stream'], 'run_scopes'),
  relation('losses', ['run_id'], 'runs'),
  relation('losses', ['run_id', 'pid', 'stream'], 'run_scopes', { optional: true }),
]

/** Every relation, from the tables as data: to the parent or the project, to users, and by ids in other columns. */
export function allRelations(): Relation[] {
  return [...TABLES.flatMap((table) => [...upwards(table), ...sideways(table), ...toUsers(table)]), ...RUN_LOG]
}

/** To its parents, or else to its project. */
function upwards({ name, key, columns, parent }: Table): Relation[] {
  if (parent !== undefined) {
    return parent.tables.map((toTable) => {
      const as = parent.as?.[toTable]
      const on = parent.on.filter((column) => as?.fixed[column] === undefined)
      return relation(name, ['pid', ...on], toTable, {
        optional: parent.tables.length > 1,
        toColumns: ['pid', ...on.map((column) => as?.columns[column] ?? column)],
      })
    })
  }
  if (name === 'projects' || !columns.some((column) => column.name === 'pid')) return []
  return [relation(name, ['pid'], 'projects', { optional: !key.includes('pid') })]
}

/** By an id in a column of its own: the group of a task, the folder of a file. */
function sideways({ name, columns, parent }: Table): Relation[] {
  return columns.flatMap((column) => {
    const other = NAMED_OTHERWISE[column.name]
    // parents have their own relation
    if (other !== undefined && parent?.on.includes(column.name) !== true) {
      return [relation(name, ['pid', column.name], other.table, { optional: true, toColumns: ['pid', other.key] })]
    }
    const named = TABLES.find(
      (table) =>
        // users have their own relation
        column.name !== 'uid' &&
        table.name !== name &&
        table.key.length === 2 &&
        table.key[0] === 'pid' &&
        table.key[1] === column.name,
    )
    const isRoot = named !== undefined && named.parent === undefined
    if (!isRoot || parent?.tables.includes(named.name)) return []
    return [relation(name, ['pid', column.name], named.name, { optional: true })]
  })
}

function toUsers({ name, key, columns }: Table): Relation[] {
  if (name === 'users') return []
  return columns
    .filter((column) => /(^|_)uid$/.test(column.name))
    .map((column) =>
      relation(name, [column.name], 'users', { optional: !key.includes(column.name), toColumns: ['uid'] }),
    )
}

function relation(
  table: string,
  columns: readonly string[],
  toTable: string,
  { optional = false, toColumns = columns }: Partial<Relation> = {},
): Relation {
  return { table, columns, toTable, toColumns, optional }
}
