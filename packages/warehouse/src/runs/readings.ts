import { OVERDUE, STREAMS } from '@collab-etl/contract/streams'
import type { Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import { KNOWN_IDS } from '../tables/index.ts'
import type { ItemReading, KnownKind, ListReading } from './types.ts'

export async function readItemReadings(
  driver: Driver,
  { main, history }: SchemaNames,
  kind: KnownKind,
  pid: string,
): Promise<ReadonlyMap<string, ItemReading>> {
  const { known, table, id } = KNOWN_IDS[kind]
  const comments = `${kind}_comments`
  const { rows } = await driver.query(
    `SELECT t.${id}, k.read_at, greatest(t.updated_at, c.at) FROM ${main}.${table} t
     LEFT JOIN ${main}.${known} k ON k.pid = t.pid AND k.${id} = t.${id}
     LEFT JOIN (
       SELECT ${id}, max(at) AS at FROM (
         SELECT ${id}, valid_to AS at FROM ${history}.${table} WHERE pid = $1
         UNION ALL SELECT ${id}, valid_to FROM ${history}.${comments} WHERE pid = $1
         UNION ALL SELECT ${id}, greatest(created_at, deleted_at) FROM ${main}.${comments} WHERE pid = $1
       ) AS changes GROUP BY ${id}) c ON c.${id} = t.${id}
     WHERE t.pid = $1 AND t.deleted_at IS NULL`,
    [storedId(pid)],
  )
  return new Map(
    rows.map(([id, readAt, changedAt]) => [String(id), { readAt: date(readAt), changedAt: date(changedAt) }]),
  )
}

export async function readListReadings(driver: Driver, { main }: SchemaNames): Promise<ListReading[]> {
  const { rows } = await driver.query(
    `SELECT l.pid, l.stream, l.read_at, coalesce(f.at > l.read_at, false) FROM ${main}.list_readings l LEFT JOIN (
       SELECT s.pid, s.stream, max(r.started_at) AS at FROM ${main}.run_scopes s JOIN ${main}.runs r USING (run_id)
       WHERE s.status IN ('partial', 'drifted', 'refused', 'failed') AND s.error_code IS DISTINCT FROM '${OVERDUE}'
       GROUP BY s.pid, s.stream) f ON f.pid = l.pid AND f.stream = l.stream`,
  )
  return rows.flatMap(([pid, name, at, hasFailed]) => {
    const stream = STREAMS.find((known) => known === name)
    const readAt = date(at)
    if (stream === undefined || readAt === null) return []
    return [{ pid: pid === '' ? null : String(pid), stream, readAt, hasFailed: hasFailed === true }]
  })
}

export async function readArchivedChange(
  driver: Driver,
  { main, history }: SchemaNames,
  pid: string,
): Promise<Date | null> {
  const { rows } = await driver.query(
    `SELECT greatest(
       (SELECT max(greatest(updated_at, deleted_at)) FROM ${main}.tasks WHERE pid = $1 AND archived),
       (SELECT max(h.valid_to) FROM ${history}.tasks h JOIN ${main}.tasks t ON t.pid = h.pid AND t.tid = h.tid
        WHERE h.pid = $1 AND t.archived))`,
    [storedId(pid)],
  )
  return date(rows[0]?.[0])
}

export async function readUnarchivedTasks(driver: Driver, { main }: SchemaNames, pid: string): Promise<string[]> {
  const { rows } = await driver.query(
    `SELECT tid FROM ${main}.tasks WHERE pid = $1 AND archived IS NOT TRUE AND deleted_at IS NULL`,
    [storedId(pid)],
  )
  return rows.map(([tid]) => String(tid))
}

function date(value: unknown): Date | null {
  return typeof value === 'string' ? new Date(value) : null
}
