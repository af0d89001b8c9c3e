import type { Warehouse } from '@collab-etl/warehouse'

/** Records that came without a field that the interface promises; what is stored of it was kept. */
export interface LeftOutField {
  readonly pid: string | null
  readonly stream: string
  /** Path of the field; `[]` for every element of a list. */
  readonly field: string
  readonly records: number
}

/** The fields that a run's records came without, by scope. */
export async function leftOutFields(warehouse: Warehouse, runId: string): Promise<LeftOutField[]> {
  const schema = `"${warehouse.schema.replaceAll('"', '""')}"`
  const id = `'${runId.replaceAll("'", "''")}'`
  const { rows } = await warehouse.query(
    `SELECT pid, stream, regexp_replace(field, '\\[[0-9]+\\]', '[]', 'g'), sum(CASE WHEN record_key = '*' THEN original::integer ELSE 1 END)
     FROM ${schema}.losses WHERE run_id::text = ${id} AND kind = 'left_out' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  )
  return rows.map(([pid, stream, field, records]) => ({
    pid: pid === null ? null : String(pid),
    stream: String(stream),
    field: String(field),
    records: Number(records),
  }))
}

/** How many values a run lost, by kind; asked of the ledger, as only the warehouse knows what it could not store. */
export async function lossesByKind(warehouse: Warehouse, runId: string): Promise<Record<string, number>> {
  const schema = `"${warehouse.schema.replaceAll('"', '""')}"`
  const id = `'${runId.replaceAll("'", "''")}'`
  const { rows } = await warehouse.query(
    `SELECT kind, count(*) FROM ${schema}.losses WHERE run_id::text = ${id} GROUP BY kind ORDER BY kind`,
  )
  return Object.fromEntries(rows.map(([kind, count]) => [String(kind), Number(count)]))
}
