import type { Offered } from '@collab-etl/contract'
import type { Connection, Driver } from '../driver/driver.ts'
import { expectRows } from '../driver/written-rows.ts'
import type { SchemaNames } from '../names.ts'
import { isSameService } from './service.ts'

/** Adds findings to those of a run. What one process of the run found to be offered is offered: a single project may refuse it. */
export async function noteCapabilities(
  connection: Pick<Connection, 'query'>,
  { main }: SchemaNames,
  runId: string,
  found: Offered,
): Promise<void> {
  const { count } = await connection.query(
    `UPDATE ${main}.runs SET capabilities = (
       SELECT coalesce(jsonb_object_agg(key, is_offered), '{}') FROM (
         SELECT key, bool_or(value::boolean) AS is_offered FROM (
           SELECT * FROM jsonb_each_text(coalesce(capabilities, '{}')) UNION ALL SELECT * FROM jsonb_each_text($2::jsonb)) AS each
         GROUP BY key) AS merged)
     WHERE run_id = $1`,
    [runId, JSON.stringify(found)],
  )
  expectRows('runs', 'updated', count, 1)
}

/** Of each operation, what the last run of the same service found that tried it; `null` if none tried any. */
export async function readCapabilities(
  driver: Driver,
  { main }: SchemaNames,
  baseUrl: string,
): Promise<Offered | null> {
  const { rows } = await driver.query(
    `SELECT DISTINCT ON (r.base_url, f.key) r.base_url, f.key, f.value::boolean, r.started_at
     FROM ${main}.runs r, jsonb_each_text(r.capabilities) AS f ORDER BY r.base_url, f.key, r.started_at DESC`,
  )
  // one service may have been called by several addresses
  const found = rows
    .filter(([url]) => isSameService(String(url), baseUrl))
    .sort((a, b) => (String(a[3]) < String(b[3]) ? -1 : 1))
    .map(([, operation, isOffered]) => [String(operation), isOffered === true] as const)
  return found.length === 0 ? null : Object.fromEntries(found)
}
