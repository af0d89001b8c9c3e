import type { Warehouse } from '@collab-etl/warehouse'

/** How many values a run lost, by kind; asked of the ledger, as only the warehouse knows what it could not store. */
export async function lossesByKind(warehouse: Warehouse, runId: string): Promise<Record<string, number>> {
  const schema = `"${warehouse.schema.replaceAll('"', '""')}"`
  const id = `'${runId.replaceAll("'", "''")}'`
  const { rows } = await warehouse.query(
    `SELECT kind, count(*) FROM ${schema}.losses WHERE run_id::text = ${id} GROUP BY kind ORDER BY kind`,
  )
  return Object.fromEntries(rows.map(([kind, count]) => [String(kind), Number(count)]))
}
