import type { Connection } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { objectsOf } from '../tables/objects.ts'
import { DEFINITION } from '../tables/schema.ts'

/**
 * Tables, columns, views, functions and indexes of the schema and its history, as `column collab.tasks.name`, in order. The schemas are
 * named `collab` and `collab_history`, under any name.
 */
export async function readObjects(connection: Connection, schema: SchemaNames): Promise<string[]> {
  const { rows } = await connection.query(
    `WITH relation AS (
       SELECT c.oid, c.relkind::text AS kind, s.place || '.' || c.relname AS name
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN (VALUES ($1, 'collab'), ($2, 'collab_history')) AS s (nspname, place) ON s.nspname = n.nspname::text
     )
     SELECT CASE WHEN kind IN ('v', 'm') THEN 'view ' WHEN kind IN ('i', 'I') THEN 'index ' ELSE 'table ' END || name AS object
     FROM relation WHERE kind IN ('r', 'p', 'v', 'm', 'i', 'I')
     UNION ALL
     SELECT 'column ' || name || '.' || a.attname FROM relation
       JOIN pg_attribute a ON a.attrelid = oid AND a.attnum > 0 AND NOT a.attisdropped WHERE kind IN ('r', 'p', 'v', 'm')
     UNION ALL
     SELECT 'function ' || s.place || '.' || p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
       JOIN (VALUES ($1, 'collab'), ($2, 'collab_history')) AS s (nspname, place) ON s.nspname = n.nspname::text`,
    [schema.name, schema.historyName],
  )
  return [...new Set(rows.map(([object]) => String(object)))].sort()
}

/** Objects of this version that are not there, by their names in this database; of a missing table, not each column. */
export async function missingObjects(connection: Connection, schema: SchemaNames): Promise<string[]> {
  const found = new Set(await readObjects(connection, schema))
  const missing = (await objectsOf(DEFINITION)).filter((object) => !found.has(object))
  const gone = new Set(missing.map((object) => object.replace(/^\w+ /, '')))
  return missing
    .filter(
      (object) => !(object.startsWith('column ') && gone.has(object.slice('column '.length, object.lastIndexOf('.')))),
    )
    .map((object) => object.replace(/ collab(?:_history)?\./, (place) => place.replace('collab', schema.name)))
}
