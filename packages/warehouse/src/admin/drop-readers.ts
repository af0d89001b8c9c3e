import type { Connection } from '../driver/driver.ts'
import { detailOf, sqlState } from '../driver/postgres-error.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { objectsOf } from '../tables/objects.ts'
import { type Definition, inSchema } from '../tables/schema.ts'
import type { Upgrade } from '../tables/upgrades.ts'

const DEPENDENT_OBJECTS_STILL_EXIST = '2BP01'

/**
 * Drops what upgrades cannot replace: the as-of functions of tables whose columns change, and all views if columns are not only added.
 * Returns the statements that grant again what roles had been granted on them, to be run as they are once they are made again.
 * @throws WarehouseError `UNSUITABLE` if a view of a user depends on one of them
 */
export async function dropReaders(
  connection: Connection,
  schema: SchemaNames,
  upgrades: readonly Upgrade[],
  definition: Definition,
): Promise<string[]> {
  const { views, functions } = await toDrop(upgrades, definition)
  const granted = await grantsOn(connection, schema, views, functions)
  const drops = [
    ...(views.length === 0 ? [] : [`DROP VIEW IF EXISTS ${views.join(', ')}`]),
    ...functions.map((signature) => `DROP FUNCTION IF EXISTS ${signature}`),
  ]
  for (const drop of drops) {
    try {
      await connection.script(inSchema(drop, schema))
    } catch (error) {
      if (sqlState(error) !== DEPENDENT_OBJECTS_STILL_EXIST) throw error
      throw new WarehouseError(
        'UNSUITABLE',
        `schema ${schema.name} cannot be upgraded: ${detailOf(error)}; drop what depends on it, run init, and create it again`,
        { cause: error },
      )
    }
  }
  return granted
}

/** Views by name, functions with the types of their arguments, all for the schema `collab`. Other functions do not depend on columns. */
async function toDrop(upgrades: readonly Upgrade[], definition: Definition) {
  const changed = new Set(
    upgrades.flatMap(({ adds = {}, alters = {} }) => [...Object.keys(adds), ...Object.keys(alters)]),
  )
  const tables = definition.tables.filter(({ name }) => changed.has(name))
  const functions = tables.map(({ name }) => `collab.${name}_as_of(timestamptz)`)
  if (upgrades.every(({ alters }) => alters === undefined)) return { views: [], functions }
  const objects = await objectsOf(definition)
  return {
    views: objects.filter((object) => object.startsWith('view ')).map((object) => object.slice('view '.length)),
    functions,
  }
}

async function grantsOn(
  connection: Connection,
  schema: SchemaNames,
  views: readonly string[],
  functions: readonly string[],
): Promise<string[]> {
  const { rows } = await connection.query(
    `WITH dropped AS (
       SELECT 'TABLE' AS kind, c.oid::regclass::text AS name, NULL AS part, c.relacl AS acl
       FROM unnest($1::text[]) AS view JOIN pg_class c ON c.oid = to_regclass(view)
       UNION ALL SELECT 'TABLE', attrelid::regclass::text, attname, attacl
       FROM unnest($1::text[]) AS view JOIN pg_attribute ON attrelid = to_regclass(view)
       UNION ALL SELECT 'FUNCTION', p.oid::regprocedure::text, NULL, p.proacl
       FROM unnest($2::text[]) AS function JOIN pg_proc p ON p.oid = to_regprocedure(function)
     ), granted AS (
       SELECT part, format('GRANT %s%s ON %s %s TO %s%s', a.privilege_type, CASE WHEN part IS NULL THEN '' ELSE format(' (%I)', part) END, kind, name,
         CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
         CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) AS statement
       FROM dropped CROSS JOIN aclexplode(acl) AS a
     )
     SELECT format('REVOKE ALL ON %s %s FROM PUBLIC', kind, name) FROM dropped WHERE acl IS NOT NULL AND part IS NULL
     UNION ALL SELECT statement FROM granted WHERE part IS NULL
     -- the column may be one that the upgrade removes
     UNION ALL SELECT format('DO %L', format('BEGIN %s; EXCEPTION WHEN undefined_column THEN NULL; END', statement)) FROM granted WHERE part IS NOT NULL`,
    [views, functions].map((names) => names.map((name) => inSchema(name, schema))),
  )
  return rows.flat().map(String)
}
