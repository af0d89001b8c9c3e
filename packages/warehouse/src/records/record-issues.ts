import type { ConversionIssue, IssueKind } from '@collab-etl/contract/streams'

/** Kinds of losses that say that a list did not come as a list. */
const NO_LIST: ReadonlySet<IssueKind> = new Set(['left_out', 'missing', 'unreadable'])

/** Whether a record with such a loss is compared value by value: its hash may be that of another record. A coerced value is exact. */
export function isUncertain(kind: IssueKind): boolean {
  return kind !== 'coerced'
}

/** The fields of one record that were not as the interface promises. Fields that were left out or cannot be read keep their stored values. */
export class RecordIssues {
  /** Paths of fields that were left out, or cannot be read. */
  readonly #leftOut = new Set<string>()
  readonly #lists = new Set<string>()
  readonly #coerced = new Set<string>()

  add({ field, kind }: ConversionIssue): void {
    // a value of another type means the same as a missing one
    if (kind === 'left_out' || kind === 'unreadable') this.#leftOut.add(field)
    if (kind === 'coerced') this.#coerced.add(field)
    if (NO_LIST.has(kind)) this.#lists.add(field)
  }

  /** Whether a field was left out, alone or with the object that holds it. */
  isLeftOut(path: string): boolean {
    const dot = path.indexOf('.')
    return this.#leftOut.has(path) || (dot >= 0 && this.#leftOut.has(path.slice(0, dot)))
  }

  isCoerced(path: string): boolean {
    return this.#coerced.has(path)
  }

  isUnknownList(path: string): boolean {
    return this.#lists.has(path)
  }

  /** Names of the record's own fields that were left out. */
  get leftOut(): readonly string[] {
    return [...this.#leftOut].filter((path) => /^[a-z_]+$/.test(path))
  }
}

/** The issues of a batch's records, by their keys; for most batches there are none. */
export function issuesOf(losses: readonly ConversionIssue[]): ReadonlyMap<string, RecordIssues> {
  const byKey = new Map<string, RecordIssues>()
  for (const loss of losses) {
    const issues = byKey.get(loss.recordKey) ?? new RecordIssues()
    byKey.set(loss.recordKey, issues)
    issues.add(loss)
  }
  return byKey
}
