import pg from 'pg'

/** Schemas of the benches: that of the product, and those of its comparisons. */
export const SCHEMAS = { tool: 'collab_bench', floor: 'collab_bench_floor', naive: 'collab_bench_naive' } as const

/** Server settings that affect the speed of loading. */
const SETTINGS = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_level',
  'shared_buffers',
  'max_wal_size',
  'work_mem',
  'maintenance_work_mem',
  'autovacuum',
  'jit',
]

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

export function settingsOf(url: string): Promise<Record<string, string>> {
  return withClient(url, async (client) => {
    const found = await client.query<{ name: string; value: string }>(
      'SELECT name, current_setting(name) AS value FROM pg_settings WHERE name = ANY($1) ORDER BY name',
      [SETTINGS],
    )
    return Object.fromEntries(found.rows.map(({ name, value }) => [name, value]))
  })
}

/** Drops the schemas of the benches. */
export function dropSchemas(url: string): Promise<void> {
  const names = Object.values(SCHEMAS).flatMap((name) => [name, `${name}_history`, `${name}_queue`, `${name}_stage`])
  return withClient(url, async (client) => {
    await client.query(`DROP SCHEMA IF EXISTS ${names.join(', ')} CASCADE`)
  })
}

/** Runs a checkpoint, so that all measurements start in the same state. Skipped if not allowed. */
export function settle(url: string): Promise<void> {
  return withClient(url, async (client) => {
    await client.query('CHECKPOINT').catch(() => undefined)
  })
}

/** The tables of a schema whose rows have versions and that are not empty. */
export function filledTables(url: string, schema: string): Promise<string[]> {
  return withClient(url, async (client) => {
    const tables = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables JOIN information_schema.columns
         USING (table_schema, table_name)
       WHERE table_schema = $1 AND column_name = 'valid_from' AND table_type = 'BASE TABLE' ORDER BY 1`,
      [schema],
    )
    const filled: string[] = []
    for (const { name } of tables.rows) {
      const found = await client.query(`SELECT FROM ${schema}.${name} LIMIT 1`)
      if (found.rowCount === 1) filled.push(name)
    }
    return filled
  })
}
