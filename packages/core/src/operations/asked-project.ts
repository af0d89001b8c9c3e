import { CollabError } from '../errors/collab-error.ts'
import { DecodeError } from '../errors/decode-error.ts'
import { type AnyRecord, isObject } from '../read/record.ts'
import type { AnyParams } from './build-request.ts'

/** Keys of an answer that are kept, to compare it with another answer. */
const SAMPLE = 1000

/** Up to this many records of another project (such as events of a shared calendar) are kept without a further request. */
const FEW = 3

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

/**
 * Distinguishes an answer to another request from a list of shared records. In both, every record names one other project. It is an
 * answer to another request if that project's own list holds mostly the same records. In a list with records of several projects,
 * each foreign record is a conversion issue (`misplaced`).
 */
export class AskedProject {
  readonly #key: readonly string[]
  readonly #pid: unknown
  readonly #shared: Set<string>
  #verdict: 'unknown' | 'misdirected' | 'shared' = 'unknown'
  #isNamed = false
  #others = 0
  /** The one other project that all records name; `null` if they name several. */
  #other: string | null | undefined
  #isOwnField = false
  #keys: string[] = []

  /**
   * @param key names of the fields of a record's key
   * @param shared remembers projects, across calls, whose records the service lists in this one
   */
  constructor(key: readonly string[], params: AnyParams = {}, shared: Set<string> = new Set()) {
    this.#key = key
    this.#pid = params['pid']
    this.#shared = shared
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
    this.#isOwnField = typeof record['pid'] === 'string'
    if (this.#keys.length < SAMPLE) this.#keys.push(keyOf(record, this.#key))
  }

  /**
   * Called when the answer was read completely.
   * @throws OtherProjectError if it may be the answer to another request
   * @throws DecodeError if it is the answer to another request
   */
  end(): void {
    if (this.#isNamed || this.#others === 0 || this.#verdict === 'shared') return
    const other = this.#other ?? null
    if (other === null || this.#shared.has(this.#pair(other))) return
    if (this.#others <= FEW && !this.#isOwnField) return
    if (this.#verdict === 'unknown') throw new OtherProjectError(other)
    const what = `what it holds (${this.#others}) is of another project than the one that was asked for`
    throw new DecodeError({ problem: 'misdirected', what })
  }

  /** Whether the answer holds mostly the same records as a list with these keys. */
  isMostly(keys: ReadonlySet<string>): boolean {
    const same = (this.#keys.filter((key) => keys.has(key)).length / this.#keys.length) * this.#others
    return same >= (this.#others + keys.size - same) / 2
  }

  /** Decides about this answer and all later ones. */
  judge(isMisdirected: boolean): void {
    this.#verdict = isMisdirected ? 'misdirected' : 'shared'
    if (!isMisdirected && typeof this.#other === 'string') this.#shared.add(this.#pair(this.#other))
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
