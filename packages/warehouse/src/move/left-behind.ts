import { readObjects } from '../admin/missing-objects.ts'
import type { Connection } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { objectsOf } from '../tables/objects.ts'
import { DEFINITION } from '../tables/schema.ts'

/** What others added to a warehouse, which a move leaves where it is. */
export interface LeftBehind {
  /** Tables, columns, views, functions and indexes, as `view collab.ours`; the schema is named `collab` under any name. */
  readonly objects: readonly string[]
  /** Roles that may read, or more, besides the owner. */
  readonly roles: readonly string[]
}

export async function readLeftBehind(connection: Connection, schema: SchemaNames): Promise<LeftBehind> {
  const ours = new Set(await objectsOf(DEFINITION))
  const further = (await readObjects(connection, schema)).filter((object) => !ours.has(object))
  const tables = new Set(further.flatMap((object) => /^(?:table|view) (.+)/.exec(object)?.[1] ?? []))
  const ofTable = (object: string) => tables.has(/^column (.+)\.[^.]+$/.exec(object)?.[1] ?? '')
  const { rows } = await connection.query(
    `SELECT DISTINCT CASE WHEN g.grantee = 0 THEN 'PUBLIC' ELSE pg_get_userbyid(g.grantee)::text END
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, aclexplode(c.relacl) g
     WHERE n.nspname IN ($1, $2) AND g.grantee <> c.relowner ORDER BY 1`,
    [schema.name, schema.historyName],
  )
  return { objects: further.filter((object) => !ofTable(object)), roles: rows.flat().map(String) }
}
