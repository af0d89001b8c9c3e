import type { ScopeResult } from '@collab-etl/core'
import type { Driver } from '../driver/driver.ts'
import type { WarehouseError } from '../errors.ts'
import { insertRereads } from '../ledger/rereads.ts'
import type { SchemaNames } from '../names.ts'
import type { Lane } from '../staging/lane.ts'
import { OpenStage } from '../staging/stage.ts'
import type { Certificates } from './certificates.ts'
import { compare, noDifferences } from './compare.ts'
import type { ComparedScope, VerificationStage } from './types.ts'

/** What a stage needs of the verification it belongs to. */
export interface VerificationParts {
  readonly driver: Driver
  readonly schema: SchemaNames
  readonly certificates: Certificates
}

/** The stage of one project that is verified: everything is staged, changed or not. */
export class ComparingStage extends OpenStage implements VerificationStage {
  readonly #parts: VerificationParts
  readonly #results: ScopeResult[] = []

  constructor(
    pid: string | null,
    lane: Lane,
    parts: VerificationParts,
    closed: (stage: OpenStage, lane: Lane) => Promise<void>,
  ) {
    super(pid, lane, { hashesOf: async () => null, closed })
    this.#parts = parts
  }

  /** What was not read to its end proves nothing, and goes. */
  override async end(result: ScopeResult): Promise<void> {
    const { fromList: _, ...read } = result
    await super.end(read.status === 'drifted' || read.status === 'partial' ? { ...read, status: 'failed' } : read)
    this.#results.push(result)
  }

  /** Scopes that were read completely and differ are marked: the next snapshot compares every value of them. */
  compare(): Promise<ComparedScope[]> {
    const { driver, schema, certificates } = this.#parts
    return this.handOver(async (lane, staged) => {
      const { refusal } = staged
      if (refusal !== null) return this.#results.map((result) => unread(result, refusal, certificates))
      const found = await compare(driver, { schema, lane, pid: this.pid, ...staged })
      const compared = this.#results.map((result): ComparedScope => {
        const isComplete = result.status === 'complete'
        const scope = staged.scopes.find(({ stream }) => stream === result.scope.stream)
        const compared = {
          ...result,
          certificate: certificates.of(result.scope),
          contentHash: isComplete ? (scope?.contentHash ?? null) : null,
          ...(found.get(result.scope.stream) ?? noDifferences()),
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

/** `null` in place of a list does not say that stored rows are gone: it is not known whether they are. */
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

/** What the database does not take cannot be compared. */
function unread(result: ScopeResult, { message }: WarehouseError, certificates: Certificates): ComparedScope {
  const error = { code: 'NOT_STORED', message }
  const ended = result.status === 'complete' ? ({ ...result, status: 'failed', error } as const) : result
  return { ...ended, certificate: certificates.of(result.scope), contentHash: null, ...noDifferences() }
}
