/** Columns that differ from run to run, of each table that a run writes besides the warehouse's own. */
const OF_RUN_LOG: Readonly<Record<string, readonly string[]>> = {
  known_posts: ['first_seen_at', 'read_at', 'ask_again_at'],
  list_readings: ['read_at'],
  known_files: ['first_seen_at', 'read_at', 'ask_again_at'],
  run_scopes: ['run_id', 'started_at', 'finished_at', 'worker', 'requests', 'bytes', 'carried_since'],
  losses: ['run_id', 'seq'],
  unread_items: ['run_id', 'first_failed_at'],
}

/** All rows that the last run left, table by table, without columns that differ from run to run. @param tables those of `TABLES` */
export async function rowsOfRun(
  query: (sql: string) => Promise<readonly Record<string, unknown>[]>,
  tables: readonly { readonly name: string }[],
): Promise<Record<string, unknown[]>> {
  const ofTables = tables.map(({ name }): [string, readonly string[]] => [name, ['valid_from', 'deleted_at']])
  const rows: Record<string, unknown[]> = {}
  for (const [table, columns] of [...ofTables, ...Object.entries(OF_RUN_LOG)]) {
    const ofLast = columns.includes('run_id') ? 'WHERE run_id = (SELECT max(run_id) FROM collab.runs)' : ''
    const row = `(to_jsonb(t) - '{${columns.join()}}'::text[])::text`
    rows[table] = (await query(`SELECT ${row} AS row FROM collab.${table} t ${ofLast} ORDER BY 1`)).map(
      (found) => found['row'],
    )
  }
  return rows
}
