import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import { openWarehouse } from '@collab-etl/warehouse'
import { expect, onTestFinished } from 'vitest'
import { type Open, openWorld, type World } from './world.ts'

/** A server for targets; `null`: there is none. */
export const server = postgresServer()

export interface Place {
  readonly url: string
  readonly schema: string
}

/** An empty database. */
export async function target(schema = 'collab'): Promise<Place> {
  const { url, drop } = await freshDatabase(server ?? '')
  onTestFinished(drop)
  return { url, schema }
}

/** A warehouse of two nights, in which records changed and were deleted. */
export async function nights(open: Open): Promise<World> {
  const world = await openWorld({}, open)
  onTestFinished(() => world[Symbol.asyncDispose]())
  expect((await world.snapshot(...world.named)).code).toBe(0)
  const { store } = world.sandbox
  store.change(world.pid, (project) => {
    for (const page of project.pages.slice(0, 3)) page.content += '\n\nチーム 🎉 \\N \u0001'
    project.tasks.splice(0, 2)
    project.events.splice(0, 1)
    project.pages.splice(-1)
  })
  expect((await world.snapshot()).code).toBe(0)
  await world.script(
    `INSERT INTO collab.accepted_failures VALUES ('${world.pid}', 'posts', 'X', '2099-01-01', 'a "reason"', 'test', now())`,
  )
  return world
}

interface Dump {
  readonly rows: Record<string, unknown>
  readonly catalogue: unknown[][]
}

/** All that a warehouse holds but its mark, and what it is made of; the schemas are named as by default. */
export async function dump(place: Place | { readonly dataDir: string }): Promise<Dump> {
  const { url, schema, dataDir } = { url: undefined, schema: 'collab', dataDir: '', ...place }
  const warehouse = await openWarehouse({ databaseUrl: url, schema, dataDir })
  try {
    const read = async (sql: string) => (await warehouse.rows.query(sql)).rows
    const schemas = `('${schema}', '${schema}_history')`
    const tables = await read(
      `SELECT table_schema || '.' || table_name FROM information_schema.tables WHERE table_schema IN ${schemas} AND table_type = 'BASE TABLE'`,
    )
    const named = (value: unknown) =>
      String(value).replaceAll(new RegExp(`\\b${schema}(?=[._]|_history\\.)`, 'g'), 'collab')
    const rows: Record<string, unknown> = {}
    for (const [table] of tables) {
      const content = await read(`SELECT to_jsonb(t) - 'moved_to' FROM ${table} t ORDER BY t::text COLLATE "C"`)
      rows[named(table)] = content.map(([row]) => JSON.stringify(row))
    }
    const catalogue = await read(
      `SELECT indexdef FROM pg_indexes WHERE schemaname IN ${schemas}
       UNION ALL SELECT c.conname || ' ' || pg_get_constraintdef(c.oid) FROM pg_constraint c WHERE c.connamespace IN ('${schema}'::regnamespace, '${schema}_history'::regnamespace) AND contype <> 'n'
       UNION ALL SELECT c.relname || ' ' || a.attname || ' ' || a.attnum || format_type(a.atttypid, a.atttypmod) || a.attnotnull || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
         WHERE c.relnamespace IN ('${schema}'::regnamespace, '${schema}_history'::regnamespace) AND c.relkind IN ('r', 'v')
       ORDER BY 1`,
    )
    expect(await warehouse.admin.missingObjects()).toEqual([])
    return { rows, catalogue: catalogue.map(([line]) => [named(line)]) }
  } finally {
    await warehouse.close()
  }
}

/** Where the warehouse of a world is. */
export function settingsOf({ env }: World): { readonly url: string; readonly dataDir: string } {
  const { DATABASE_URL: url = '', COLLAB_DATA_DIR: dataDir = '' }: Readonly<Record<string, string>> = env
  return { url, dataDir }
}
