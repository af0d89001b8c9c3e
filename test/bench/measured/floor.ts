import { join } from 'node:path'
import { filledTables, SCHEMAS } from '../postgres/database.ts'
import { psql } from '../postgres/psql.ts'

/** The rows of a snapshot as files for COPY, by table. */
export type RowFiles = ReadonlyMap<string, string>

/** Writes the stored rows, in the order in which the service sent the tasks: by position. */
export async function dumpRows(url: string, folder: string): Promise<RowFiles> {
  const tables = await filledTables(url, SCHEMAS.tool)
  const files = new Map(tables.map((table) => [table, join(folder, `${table}.copy`)]))
  const lines = [...files].map(([table, file]) => {
    const from = `${SCHEMAS.tool}.${table} r`
    const query = /^task_/.test(table)
      ? `SELECT r.* FROM ${from} JOIN ${SCHEMAS.tool}.tasks t USING (pid, tid) ORDER BY t.pid, t.position`
      : table === 'tasks'
        ? `SELECT r.* FROM ${from} ORDER BY r.pid, r.position`
        : `SELECT r.* FROM ${from}`
    return `\\copy (${query}) TO '${file}'`
  })
  await psql(url, lines.join('\n'))
  return files
}

/**
 * The floor: the same rows into the same tables with their keys, by `\copy` in one session and one transaction.
 * Returns the milliseconds of copies and commit, as reported by psql.
 */
export async function copyRows(url: string, files: RowFiles): Promise<number> {
  const copies = [...files].map(([table, file]) => `\\copy ${SCHEMAS.floor}.${table} FROM '${file}'`)
  const out = await psql(url, ['\\timing on', 'BEGIN;', ...copies, 'COMMIT;'].join('\n'))
  const times = [...out.matchAll(/^Time: ([\d.]+) ms/gm)].map((match) => Number(match[1]))
  if (times.length !== copies.length + 2)
    throw new Error(`psql printed ${times.length} times for ${copies.length} copies`)
  return times.reduce((sum, time) => sum + time, 0)
}
