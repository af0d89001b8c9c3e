import { DecodeError } from '../errors/decode-error.ts'
import { type AnyRecord, isObject } from '../read/record.ts'
import type { AnyParams } from './build-request.ts'

/**
 * Tells an answer to another request, such as a cache or a proxy gives that mixes them up: one project was asked for, and
 * every record that names a project names another one. One record among others of the project is no such answer, but a
 * loss (`misplaced`).
 */
export class AskedProject {
  readonly #pid: unknown
  #isNamed = false
  #others = 0

  constructor(params: AnyParams = {}) {
    this.#pid = params['pid']
  }

  /** Takes a record of the answer. */
  see(record: AnyRecord): void {
    const named = projectOf(record)
    if (named === undefined || this.#pid === undefined) return
    if (named === String(this.#pid)) this.#isNamed = true
    else this.#others += 1
  }

  /** @throws DecodeError where the answer, now whole, is one to another request */
  end(): void {
    if (this.#isNamed || this.#others === 0) return
    const what = `what it holds (${this.#others}) is of another project than the one that was asked for`
    throw new DecodeError({ problem: 'misdirected', what })
  }
}

/** The project that a record names: in `pid`, or by the project that it shows. */
function projectOf({ pid, project }: AnyRecord): string | undefined {
  const named = isObject(project) && typeof pid !== 'string' ? project['pid'] : pid
  return typeof named === 'string' && named !== '' ? named : undefined
}
