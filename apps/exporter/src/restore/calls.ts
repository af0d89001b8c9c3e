import { isApiError, isAuthError, isCollabError } from '@collab-etl/core/errors'
import { assumedLines } from './assume.ts'
import type { Difference } from './difference.ts'
import { isFurther } from './further/kinds.ts'
import type { AnyKind } from './item.ts'
import { type CallKey, type Sent, textOfKey } from './journal-lines.ts'
import { type Finding, lookFor, type UnknownCall } from './look.ts'
import { type NotRestored, noCounts, type Reason, type StillUnknown } from './outcome.ts'
import type { RestoreRequest } from './request.ts'
import { isNotThere, meaningOf, POST_FAILED } from './service-calls.ts'

/** Attempts at a creation whose answer was lost and that had no effect. */
const TRIES = 3

/** After so many consecutive failures of a kind, the rest of the kind is not attempted. */
const FAILURES_IN_A_ROW = 5

/** What a call creates, for reports. */
export interface Called {
  readonly kind: AnyKind
  readonly id: string
  readonly title: string | null
}

export type Result =
  | { readonly is: 'created'; readonly newId: string | null; readonly isEarlier: boolean }
  /** `refused`: why, if the service said so. */
  | { readonly is: 'not'; readonly refused: NotRestored | null }

/** The answer to a call: the new id, `null` if there is none, and what differs from the request. */
interface Answer {
  readonly newId: string | null
  readonly differs: readonly Difference[]
}

/** How a call is made. */
interface Sending {
  readonly sent: Sent
  /** Failures are counted for each row. Default: the kind. */
  readonly row?: string
  /** For a message: what a row is. */
  readonly rowName?: string
  /** The field of the id in reports. */
  readonly idField: string
  send(): Promise<Answer>
}

/** Makes calls one after the other and records each in the journal, so that the outcome of at most one is unknown. */
export class Calls {
  readonly created = noCounts()
  readonly before = noCounts()
  readonly notRestored: NotRestored[] = []
  readonly unknown: StillUnknown[] = []
  readonly #request: RestoreRequest
  /** Failures since the last success. */
  readonly #failuresInARow = new Map<string, number>()
  /** Why the outcome of unknown calls could not be determined. */
  readonly #unclear = new Map<string, string>()

  constructor(request: RestoreRequest) {
    this.#request = request
  }

  /** Determines the outcome of calls of earlier runs, one after the other, so that two calls do not find the same record. */
  async resolveUnknown(): Promise<void> {
    const { journal, assumptions, settleMs } = this.#request
    for (const line of assumedLines(journal.state, assumptions)) await journal.add(line)
    for (const call of journal.state.unknown()) await this.#settle(call.key, await this.#look(call, settleMs))
  }

  /** The result of an earlier call for the same; `null` if there is none. */
  earlier(what: Called): Result | null {
    const known = this.#request.journal.state.of(keyOf(what))
    if (known === undefined) return null
    if (known.state === 'begun') return this.#stillUnknown(what)
    this.#count(this.before, what)
    return { is: 'created', newId: known.newId, isEarlier: true }
  }

  /** Makes a call that no earlier run made. */
  async make(what: Called, { sent, send, idField, row = what.kind, rowName = 'kind' }: Sending): Promise<Result> {
    const { journal } = this.#request
    const key = keyOf(what)
    const failures = this.#failuresInARow.get(row) ?? 0
    if (failures >= FAILURES_IN_A_ROW) {
      const why = `not attempted, because the previous ${FAILURES_IN_A_ROW} of its ${rowName} failed`
      this.leave(what, 'stopped', why)
      return { is: 'not', refused: null }
    }
    let last: unknown
    let taken: Difference[] = []
    let meaning: ReturnType<typeof meaningOf> | null = null
    for (let tries = 0; tries < TRIES; tries++) {
      await journal.begun(key, sent)
      try {
        const { newId, differs } = await send()
        const holder = newId === '' ? 'nothing' : newId === null ? null : journal.state.holderOf(what.kind, newId)
        if (holder === null) {
          await journal.done(key, newId, 'answer', differs)
          return this.#succeeded(what, row, newId)
        }
        // Something may have been created, but not under this id: look for it in the target, as after a lost answer.
        taken = [{ field: idField, how: `answered with the id of ${holder}`, sent: null, found: newId }, ...differs]
        last = new Error(`the service answered with the id of ${holder}`)
      } catch (error) {
        last = error
        meaning = meaningOf(error)
        if (meaning === 'refused' || meaning === 'over') await journal.failed(key, messageOf(error))
        if (meaning === 'over') throw error
        if (meaning === 'refused') break
      }
      const call = journal.state.of(key)
      if (call?.state !== 'begun') break
      const finding = await this.#findingOf(call, meaning === 'failed')
      if (!(await this.#settle(key, finding, taken))) {
        this.#failuresInARow.set(row, failures + 1)
        return this.#stillUnknown(what, taken.length > 0 || meaning === 'failed' ? messageOf(last) : undefined)
      }
      if (finding.is === 'created') return this.#succeeded(what, row, finding.newId)
      if (meaning === 'failed') break
    }
    this.#failuresInARow.set(row, failures + 1)
    const left = this.leave(what, taken.length > 0 ? 'id_taken' : reasonOf(last, what), messageOf(last))
    return { is: 'not', refused: meaning === 'refused' || meaning === 'failed' ? left : null }
  }

  leave(what: Called, reason: Reason, message: string): NotRestored {
    const { kind, id, title } = what
    const left = { kind, id, title, reason, message }
    this.notRestored.push(left)
    return left
  }

  #look(call: UnknownCall, settleMs: number): Promise<Finding> {
    const { client, toProject, journal } = this.#request
    return lookFor({ client, pid: toProject, state: journal.state, settleMs }, call)
  }

  async #findingOf(call: UnknownCall, isSaidFailed: boolean): Promise<Finding> {
    try {
      return await this.#look(call, isSaidFailed ? 0 : this.#request.settleMs)
    } catch (unreadable) {
      // If the list cannot be read, the answer of the service counts.
      if (!isSaidFailed || isAuthError(unreadable) || !isCollabError(unreadable)) throw unreadable
      return { is: 'not_created' }
    }
  }

  /** Records the finding about a call. Returns whether it is conclusive. */
  async #settle(key: CallKey, finding: Finding, differs: readonly Difference[] = []): Promise<boolean> {
    const { journal } = this.#request
    if (finding.is === 'created') await journal.done(key, finding.newId, 'look', differs)
    else if (finding.is === 'not_created') await journal.failed(key, 'the service does not have it')
    else this.#unclear.set(textOfKey(key), finding.why)
    return finding.is !== 'unclear'
  }

  #succeeded(what: Called, row: string, newId: string | null): Result {
    this.#failuresInARow.delete(row)
    this.#count(this.created, what)
    return { is: 'created', newId, isEarlier: false }
  }

  #count(counts: typeof this.created, { kind }: Called): void {
    counts[kind] = (counts[kind] ?? 0) + 1
  }

  #stillUnknown(what: Called, cause?: string): Result {
    const { kind, id, title } = what
    const why = this.#unclear.get(textOfKey(keyOf(what)))
    this.unknown.push({ kind, id, title, why: [cause, why ?? 'the answer was lost'].filter(Boolean).join('; ') })
    return { is: 'not', refused: null }
  }
}

function keyOf({ kind: call, id }: Called): CallKey {
  return { call, id }
}

function reasonOf(error: unknown, { kind }: Called): Reason {
  if (isFurther(kind) && isNotThere(error)) return 'not_offered'
  return isApiError(error, POST_FAILED) ? 'may_exist' : 'refused'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
