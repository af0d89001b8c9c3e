import { POSSIBLY_CAPPED, type Scope, type ScopeResult } from '@collab-etl/contract/streams'
import { type Driver, records } from '../driver/driver.ts'
import type { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import { insertRereads } from '../runs/rereads.ts'
import { isReadInParts } from '../staging/shape.ts'
import type { StagingSlot } from '../staging/slot.ts'
import { OpenStage } from '../staging/stage.ts'
import { compare, noDifferences } from './compare.ts'
import type { ComparedScope, StoredHash } from './types.ts'

export interface ComparisonParts {
  readonly driver: Driver
  readonly schema: SchemaNames
  readonly hashes: StoredHashes
}

/** Takes the records of one project's streams and compares them with the stored rows: every record is staged, changed or not. */
export class ComparisonStage extends OpenStage {
  readonly #parts: ComparisonParts
  readonly #results: ScopeResult[] = []

  constructor(
    pid: string | null,
    slot: StagingSlot,
    parts: ComparisonParts,
    closed: (stage: OpenStage, slot: StagingSlot) => Promise<void>,
  ) {
    super(pid, slot, { bytesOf: () => null, hashesOf: async () => null, closed })
    this.#parts = parts
  }

  /** Discards the rows of a scope that was not read completely: it cannot be compared. */
  override async end(result: ScopeResult): Promise<void> {
    const { fromList: _, ...read } = result
    await super.end(read.status === 'drifted' || read.status === 'partial' ? { ...read, status: 'failed' } : read)
    this.#results.push(result)
  }

  /**
   * Compares all scopes that were ended, and closes the stage. Scopes that are not `complete` have no differences; those that differ are
   * marked: the next snapshot compares every value of them.
   * @param listed ids of the list of projects, if teams are compared: other projects are known from teams alone
   */
  compare(listed: ReadonlySet<string> = new Set()): Promise<ComparedScope[]> {
    const { driver, schema, hashes } = this.#parts
    return this.handOver(async (slot, staged) => {
      const { refusal } = staged
      if (refusal !== null) return this.#results.map((result) => unread(result, refusal, hashes))
      const found = await compare(driver, { schema, slot, pid: this.pid, ...staged }, listed)
      const compared = this.#results.map((result): ComparedScope => {
        const { stream } = result.scope
        const isComplete = result.status === 'complete'
        const scope = staged.scopes.find((each) => each.stream === stream)
        const compared = {
          ...result,
          stored: hashes.of(result.scope),
          contentHash: isComplete && !isReadInParts(stream) ? (scope?.contentHash ?? null) : null,
          ...(found.differences.get(stream) ?? noDifferences()),
        }
        const message = found.suspicious.get(stream)
        if (message !== undefined) {
          return { ...compared, status: 'drifted', error: { code: POSSIBLY_CAPPED, message }, contentHash: null }
        }
        if (stream === 'teams' && found.teamsInDoubt !== null) {
          const error = { code: 'TEAM_PROJECTS_UNREAD', message: found.teamsInDoubt }
          return { ...compared, status: 'partial', error, contentHash: null }
        }
        return isComplete && scope?.isNullList === true ? withoutExtra(compared) : compared
      })
      const differing = compared.filter(({ status, counts }) => {
        return status === 'complete' && counts.missing + counts.extra + counts.changed > 0
      })
      await insertRereads(
        driver,
        schema,
        this.pid,
        differing.map(({ scope }) => scope.stream),
      )
      return compared
    })
  }
}

/** With `null` in place of a list it is unknown whether stored rows still exist: they are not counted as extra. */
function withoutExtra(scope: ComparedScope): ComparedScope {
  if (scope.counts.extra === 0) return scope
  const message = `the service sent null instead of a list: it is unknown whether ${scope.counts.extra} stored rows still exist`
  return {
    ...scope,
    status: 'partial',
    error: { code: 'NULL_LIST', message },
    contentHash: null,
    counts: { ...scope.counts, extra: 0 },
    differences: scope.differences.filter(({ kind }) => kind !== 'extra'),
  }
}

/** The result of a scope whose rows the database rejected: it cannot be compared. */
function unread(result: ScopeResult, { message }: WarehouseError, hashes: StoredHashes): ComparedScope {
  const error = { code: 'NOT_STORED', message }
  const ended = result.status === 'complete' ? ({ ...result, status: 'failed', error } as const) : result
  return { ...ended, stored: hashes.of(result.scope), contentHash: null, ...noDifferences() }
}

export class StoredHashes {
  readonly #byScope: ReadonlyMap<string, StoredHash>
  readonly #pids: ReadonlySet<string>

  private constructor(byScope: ReadonlyMap<string, StoredHash>, pids: ReadonlySet<string>) {
    this.#byScope = byScope
    this.#pids = pids
  }

  /** Reads, of each scope that was ever stored, the content hash of its last complete reading. */
  static async load(driver: Driver, schema: SchemaNames): Promise<StoredHashes> {
    const ofComplete = (column: string) => `CASE WHEN s.status = 'complete' THEN s.${column} END`
    const found = await driver.query(
      `SELECT DISTINCT ON (s.pid, s.stream) s.pid, s.stream, ${ofComplete('run_id')} AS "runId", ${ofComplete('content_hash')} AS "contentHash",
         ${ofComplete('records_read')} AS records, ${ofComplete('started_at')} AS "readAt"
       FROM ${schema.main}.run_scopes s JOIN ${schema.main}.runs r ON r.run_id = s.run_id
       WHERE s.status IN ('complete', 'partial', 'drifted', 'refused')
       ORDER BY s.pid, s.stream, (s.status = 'complete') DESC, r.started_at DESC`,
    )
    const rows = records<Omit<StoredHash, 'readAt'> & { pid: string; stream: string; readAt: string | null }>(found)
    const byScope = rows.map(({ pid, stream, readAt, ...hash }) => {
      return [`${stream} ${pid}`, { ...hash, readAt: readAt === null ? null : new Date(readAt) }] as const
    })
    return new StoredHashes(new Map(byScope), new Set(rows.map(({ pid }) => pid)))
  }

  of({ pid, stream }: Scope): StoredHash | null {
    return this.#byScope.get(`${stream} ${pid === null ? '' : storedId(pid)}`) ?? null
  }

  hasProject(pid: string): boolean {
    return this.#pids.has(storedId(pid))
  }
}
