import { type Connection, type Driver, records } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { TABLES } from '../tables/index.ts'
import { allRelations } from './relations.ts'
import type { DescribedColumn, DescribedObject, SchemaDescription } from './types.ts'

/** Reads the database's catalogue. The same schema gives the same description on every server and driver. */
export async function describeSchema(driver: Driver, schema: SchemaNames, version: number): Promise<SchemaDescription> {
  const schemas = [schema.name, schema.historyName] as const
  return await driver.transaction(
    async (connection) => {
      // types of the schema's own tables show without its name
      await connection.script(`SET LOCAL search_path = ${schema.main}`)
      const objects = [...(await relationsOf(connection, schemas)), ...(await functionsOf(connection, schemas))]
      objects.sort((a, b) => compare(rank(a, schemas), rank(b, schemas)) || compare(titleOf(a), titleOf(b)))
      const present = new Set(objects.filter((object) => object.schema === schema.name).map(({ name }) => name))
      const relations = allRelations().filter(({ table, toTable }) => present.has(table) && present.has(toTable))
      return { schema: schema.name, historySchema: schemas[1], version, objects, relations }
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
     WHERE n.nspname IN ($1, $2) AND c.relkind IN ('r', 'p', 'v', 'm')
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
    ...{ ...object, kind: 'function', columns: [] },
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
