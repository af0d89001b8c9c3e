import type { Scope } from '@collab-etl/contract/streams'
import { storedId } from '../convert/text.ts'
import type { Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import type { StoredHash } from './types.ts'

/** The content hashes that runs stored, by scope. */
export class StoredHashes {
  readonly #byScope: ReadonlyMap<string, StoredHash>
  readonly #pids: ReadonlySet<string>

  private constructor(byScope: ReadonlyMap<string, StoredHash>, pids: ReadonlySet<string>) {
    this.#byScope = byScope
    this.#pids = pids
  }

  /** Reads, of each scope that was ever stored, the content hash of its last complete reading. */
  static async load(driver: Driver, schema: SchemaNames): Promise<StoredHashes> {
    const { rows } = await driver.query(
      `SELECT DISTINCT ON (s.pid, s.stream) s.pid, s.stream, s.status = 'complete', s.run_id, s.content_hash, s.records_read, s.started_at
       FROM ${schema.main}.run_scopes s JOIN ${schema.main}.runs r ON r.run_id = s.run_id
       WHERE s.status IN ('complete', 'partial', 'drifted', 'refused')
       ORDER BY s.pid, s.stream, (s.status = 'complete') DESC, r.started_at DESC`,
    )
    const byScope = new Map<string, StoredHash>()
    for (const [pid, stream, isComplete, runId, contentHash, records, readAt] of rows) {
      byScope.set(
        `${stream} ${pid}`,
        isComplete === true
          ? {
              runId: String(runId),
              contentHash: contentHash === null ? null : String(contentHash),
              records: records === null ? null : Number(records),
              readAt: new Date(String(readAt)),
            }
          : { runId: null, contentHash: null, records: null, readAt: null },
      )
    }
    return new StoredHashes(byScope, new Set(rows.map(([pid]) => String(pid))))
  }

  of({ pid, stream }: Scope): StoredHash | null {
    return this.#byScope.get(`${stream} ${pid === null ? '' : storedId(pid)}`) ?? null
  }

  hasProject(pid: string): boolean {
    return this.#pids.has(storedId(pid))
  }
}
