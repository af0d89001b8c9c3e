import { STREAMS, type StreamName } from '@collab-etl/contract/streams'
import { type Connection, records } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import { TABLES } from '../tables/index.ts'
import type { ScopeToReread } from './types.ts'

export async function readRereads(connection: Connection, schema: SchemaNames): Promise<ScopeToReread[]> {
  const found = await connection.query(
    `SELECT nullif(pid, '') AS pid, stream FROM ${schema.main}.scopes_to_reread s ORDER BY s.pid, stream`,
  )
  return records<ScopeToReread>(found)
}

/** Marks scopes of a project: the next snapshot that reads them compares every value. */
export async function insertRereads(
  connection: Connection,
  schema: SchemaNames,
  pid: string | null,
  streams: readonly StreamName[],
): Promise<void> {
  if (streams.length === 0) return
  await connection.query(
    `INSERT INTO ${schema.main}.scopes_to_reread (pid, stream, found_at) SELECT $1, unnest($2::text[]), $3
     ON CONFLICT (pid, stream) DO UPDATE SET found_at = excluded.found_at`,
    [keyOf(pid), streams, new Date().toISOString()],
  )
}

/** Removes the marks of scopes that were read completely and compared value by value. */
export async function deleteRereads(
  connection: Connection,
  schema: SchemaNames,
  pid: string | null,
  streams: readonly StreamName[],
): Promise<void> {
  if (streams.length === 0) return
  await connection.query(`DELETE FROM ${schema.main}.scopes_to_reread WHERE pid = $1 AND stream = ANY ($2::text[])`, [
    keyOf(pid),
    streams,
  ])
}

/**
 * All streams that store into the tables of a stream, except users: a row that differs may be from any of them, and is known to be
 * gone only when all were read.
 */
export function streamsBeside(stream: StreamName): readonly StreamName[] {
  const tables = TABLES.filter(({ name, streams }) => name !== 'users' && streams.includes(stream))
  return STREAMS.filter((other) => other === stream || tables.some(({ streams }) => streams.includes(other)))
}

/** Which scopes a run compares value by value: all, or those that are marked. */
export class Rereads {
  readonly #isFull: boolean
  readonly #marked = new Map<string, Set<StreamName>>()

  constructor(isFull: boolean, marked: readonly ScopeToReread[]) {
    this.#isFull = isFull
    for (const { pid, stream } of marked) {
      const streams = this.#marked.get(keyOf(pid)) ?? new Set()
      this.#marked.set(keyOf(pid), streams)
      for (const each of streamsBeside(stream)) streams.add(each)
    }
  }

  of(pid: string | null): ReadonlySet<StreamName> {
    return this.#isFull ? new Set(STREAMS) : (this.#marked.get(keyOf(pid)) ?? new Set())
  }
}

function keyOf(pid: string | null): string {
  return pid === null ? '' : storedId(pid)
}
