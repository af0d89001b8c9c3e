import { CollabError } from '../errors/collab-error.ts'
import { DecodeError } from '../errors/decode-error.ts'
import { type AnyRecord, isObject } from '../read/record.ts'
import type { AnyParams } from './build-request.ts'

/** Keys of an answer that are kept, to compare it with another answer. */
const SAMPLE = 1000

/**
 * Every record of an answer names one project other than the requested one. Either a cache or a proxy mixed up two answers, or the
 * projects share these records. The other project's own list decides which.
 */
export class OtherProjectError extends CollabError {
  override readonly name = 'OtherProjectError'
  readonly errorCode = 'MISDIRECTED'
  readonly pid: string

  constructor(pid: string) {
    super('every record of the answer names a project other than the requested one')
    this.pid = pid
  }
}

/** What an answer is whose records all name one other project. */
export type Verdict = 'misdirected' | 'shared'

/**
 * Distinguishes an answer to another request from a list of shared records. In both, every record names one other project. The records
 * are shared if that project's own list has many more besides them. If it has mostly the same records, however few, or lacks them, the
 * answer belongs to another request. In a list with records of several projects, each foreign record is a conversion issue (`misplaced`).
 */
export class AskedProject {
  readonly #key: readonly string[]
  readonly #pid: unknown
  readonly #verdicts: Map<string, Verdict>
  #verdict: Verdict | 'unknown' = 'unknown'
  #isNamed = false
  #others = 0
  /** The one other project that all records name; `null` if they name several. */
  #other: string | null | undefined
  #keys: string[] = []

  /**
   * @param key names of the fields of a record's key
   * @param verdicts remembers, across calls, what the first answer for one project with the records of another turned out to be: an
   * answer to a part of the range of events may show less
   */
  constructor(key: readonly string[], params: AnyParams = {}, verdicts: Map<string, Verdict> = new Map()) {
    this.#key = key
    this.#pid = params['pid']
    this.#verdicts = verdicts
  }

  /** An attempt begins. */
  begin(): void {
    this.#isNamed = false
    this.#others = 0
    this.#other = undefined
    this.#keys = []
  }

  /** Whether a record names the requested project. */
  isOwn(record: AnyRecord): boolean {
    return this.#pid !== undefined && projectOf(record) === String(this.#pid)
  }

  /** Notes a record of the answer that names the requested project. */
  seeOwn(): void {
    this.#isNamed = true
    this.#keys = []
  }

  /** Notes a record of the answer. */
  see(record: AnyRecord): void {
    if (this.#isNamed || this.#pid === undefined) return
    const named = projectOf(record)
    if (named === undefined) return
    if (named === String(this.#pid)) {
      this.seeOwn()
      return
    }
    this.#others += 1
    this.#other = this.#other === undefined || this.#other === named ? named : null
    if (this.#keys.length < SAMPLE) this.#keys.push(keyOf(record, this.#key))
  }

  /**
   * Called when the answer was read completely.
   * @throws OtherProjectError if it may be the answer to another request
   * @throws DecodeError if it is the answer to another request
   */
  end(): void {
    if (this.#isNamed || this.#others === 0) return
    const other = this.#other ?? null
    if (other === null) return
    const verdict = this.#verdict === 'unknown' ? this.#verdicts.get(this.#pair(other)) : this.#verdict
    if (verdict === 'shared') return
    if (verdict === undefined) throw new OtherProjectError(other)
    const what = `what it holds (${this.#others}) is of another project than the one that was asked for`
    throw new DecodeError({ problem: 'misdirected', what })
  }

  /** Whether the other project's own list, with these keys, holds most of the answer's records, and many more. */
  isPartOf(keys: ReadonlySet<string>): boolean {
    const same = (this.#keys.filter((key) => keys.has(key)).length / this.#keys.length) * this.#others
    return same >= this.#others / 2 && same < (this.#others + keys.size - same) / 2
  }

  /** Decides about this answer and all later ones. */
  judge(isMisdirected: boolean): void {
    this.#verdict = isMisdirected ? 'misdirected' : 'shared'
    if (typeof this.#other === 'string') this.#verdicts.set(this.#pair(this.#other), this.#verdict)
  }

  #pair(other: string): string {
    return JSON.stringify([this.#pid, other])
  }
}

export function keyOf(record: AnyRecord, key: readonly string[]): string {
  return key.map((name) => String(record[name])).join(' ')
}

/** The project that a record names: in `pid`, or by the project that it shows. */
function projectOf({ pid, project }: AnyRecord): string | undefined {
  const named = isObject(project) && typeof pid !== 'string' ? project['pid'] : pid
  return typeof named === 'string' && named !== '' ? named : undefined
}
