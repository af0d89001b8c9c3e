import { formatNumber } from '@collab-etl/cli'
import { isApiError, isAuthError, isCollabError } from '@collab-etl/core/errors'
import { assumedLines } from './assume.ts'
import { type Difference, differencesOfAnswer, ID_FIELDS, sentFields } from './difference.ts'
import { type CallKind, contentOf, nameOf, type RestoreItem } from './item.ts'
import { type CallKey, type Sent, textDigest, textOfKey } from './journal-lines.ts'
import { type Finding, lookFor, type UnknownCall } from './look.ts'
import {
  type Inexact,
  type NotRestored,
  noCounts,
  type Reason,
  type RestoreOutcome,
  type StillUnknown,
} from './outcome.ts'
import { provenanceOf } from './provenance.ts'
import { readBack } from './read-back.ts'
import type { RestoreRequest } from './request.ts'
import { create, meaningOf, POST_FAILED } from './service-calls.ts'

/** Attempts at a creation whose answer was lost and that had no effect. */
const TRIES = 3

/** After so many consecutive failures of a kind, the rest of the kind is not attempted. */
const FAILURES_IN_A_ROW = 5

/** Where a record is created. */
type Place = Omit<Sent, 'text'>

type Called =
  | { readonly is: 'created'; readonly newId: string | null; readonly isEarlier: boolean }
  | { readonly is: 'not' }

/** Creates the items of a plan one after the other, so that the outcome of at most one call is unknown. */
export class Restorer {
  readonly #request: RestoreRequest
  readonly #created = noCounts()
  readonly #before = noCounts()
  readonly #notRestored: NotRestored[] = []
  readonly #unknown: StillUnknown[] = []
  readonly #failuresInARow = new FailuresInARow()
  /** Task groups whose ids may be wrong: no task of the target names them yet. */
  readonly #unproven: Set<string>
  /** Of these, the groups whose first task was refused, with that task and the number of others, which are not attempted. */
  readonly #ended = new Map<string, { readonly refused: NotRestored; others: number }>()
  /** Why the outcome of unknown calls could not be determined. */
  readonly #unclear = new Map<string, string>()

  constructor(request: RestoreRequest) {
    this.#request = request
    this.#unproven = new Set(request.unnamed)
  }

  async run(): Promise<RestoreOutcome> {
    const { plan, journal, assumptions, signal, onItem, present } = this.#request
    for (const line of assumedLines(journal.state, assumptions)) await journal.add(line)
    if (present !== null) await journal.keepPresent(present)
    await this.#resolveUnknown()
    for (const [index, item] of plan.items.entries()) {
      signal.throwIfAborted()
      await this.#restore(item)
      onItem(index + 1, plan.items.length)
    }
    const { finished: finishedBefore } = journal.state
    this.#request.onReadBack()
    const read = await readBack(this.#request)
    const isFinished = this.#notRestored.length + this.#unknown.length === 0
    if (isFinished && finishedBefore === null) await journal.finished(this.#request.backupName)
    const ofReading = read.differences.map(({ item, ofComment, ...difference }): Inexact => {
      return { kind: ofComment ? 'comment' : item.kind, id: item.id, title: item.title, seen: 'read', ...difference }
    })
    return {
      created: this.#created,
      before: this.#before,
      notRestored: this.#left(),
      unknown: this.#unknown,
      finishedBefore,
      inexact: [...plan.items.flatMap((item) => this.#inexactAnswers(item)), ...ofReading],
      compared: read.compared,
      notCompared: read.unread.map(({ item: { kind, id, title }, why }) => ({ kind, id, title, why })),
    }
  }

  /** Differences between requests and answers, of all runs. */
  #inexactAnswers(item: RestoreItem): Inexact[] {
    const { id, title } = item
    const kinds: readonly CallKind[] = item.kind === 'task' ? ['task', 'comment'] : [item.kind]
    return kinds.flatMap((kind) => {
      const known = this.#request.journal.state.of({ ...this.#key(item), call: kind })
      if (known?.state !== 'done') return []
      const { newId, differs } = known
      return differs.map((difference): Inexact => ({ kind, id, title, newId, seen: 'answer', ...difference }))
    })
  }

  /** Determines the outcome of calls of earlier runs, one after the other, so that two calls do not find the same record. */
  async #resolveUnknown(): Promise<void> {
    const { journal, settleMs } = this.#request
    for (const call of journal.state.unknown()) await this.#settle(call.key, await this.#look(call, settleMs))
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

  async #restore(item: RestoreItem): Promise<void> {
    const { kind } = item
    const under = this.#under(item)
    if (under === null) return
    const call = { name: nameOf(item), under }
    const called = await this.#call(item, kind, call, async () => contentOf(kind, await this.#request.read(item)))
    if (kind !== 'task' || called.is === 'not' || !this.#request.provenance) return
    if (called.newId === null) {
      this.#leave(item, 'comment', 'no_id', 'the id of its task is unknown')
      return
    }
    const comment = { name: nameOf(item), under: called.newId, ...(called.isEarlier && { isLater: true }) }
    await this.#call(item, 'comment', comment, async () => provenanceOf(await this.#request.read(item)))
  }

  /** The new parent of a page, or the group of a task. Returns `null` and reports the item if there is none. */
  #under(item: RestoreItem): string | null {
    const { groupOf, journal } = this.#request
    if (item.kind === 'post') return ''
    if (item.kind === 'task') {
      const group = groupOf(item.entryId)
      if (group !== null || journal.state.of(this.#key(item)) !== undefined) return group ?? ''
      this.#leave(item, 'task', 'no_entry', 'no task group: set --entry ENTRY_ID, or --entries')
      return null
    }
    if (item.parentId === null) return ''
    const parent = journal.state.of({ call: 'page', id: item.parentId })
    if (parent?.state === 'done' && parent.newId !== null) return parent.newId
    this.#leave(item, 'page', 'parent_not_restored', `its parent page ${item.parentId} is not restored`)
    return null
  }

  /** Makes a call, unless an earlier run made it. */
  async #call(item: RestoreItem, kind: CallKind, to: Place, text: () => Promise<string>): Promise<Called> {
    const { journal } = this.#request
    const key = { ...this.#key(item), call: kind }
    const known = journal.state.of(key)
    if (known?.state === 'done') {
      this.#before[kind] += 1
      return { is: 'created', newId: known.newId, isEarlier: true }
    }
    if (known?.state === 'begun') return this.#stillUnknown(item, kind)
    const ended = kind === 'task' ? this.#ended.get(to.under) : undefined
    if (ended !== undefined) {
      ended.others += 1
      return { is: 'not' }
    }
    if (this.#failuresInARow.of(kind, to) >= FAILURES_IN_A_ROW) {
      const which = kind === 'task' ? 'task group' : 'kind'
      this.#leave(
        item,
        kind,
        'stopped',
        `not attempted, because the previous ${FAILURES_IN_A_ROW} of its ${which} failed`,
      )
      return { is: 'not' }
    }
    return this.#create(item, key, to, await text())
  }

  async #create(item: RestoreItem, key: CallKey, to: Place, text: string): Promise<Called> {
    const { client, toProject, journal } = this.#request
    const sent: Sent = { ...to, text: textDigest(text) }
    const kind = key.call
    let last: unknown
    let taken: Difference[] = []
    let meaning: ReturnType<typeof meaningOf> | null = null
    for (let tries = 0; tries < TRIES; tries++) {
      await journal.begun(key, sent)
      try {
        const { id: newId, answer } = await create(client, toProject, kind, sent, text)
        const differs = differencesOfAnswer(kind, sentFields(kind, { pid: toProject, ...to, text }), answer)
        const holder = newId === '' ? 'nothing' : journal.state.holderOf(kind, newId)
        if (holder === null) {
          await journal.done(key, newId, 'answer', differs)
          return this.#succeeded(kind, sent, newId)
        }
        // Something may have been created, but not under this id: look for it in the target, as after a lost answer.
        taken = [
          { field: ID_FIELDS[kind], how: `answered with the id of ${holder}`, sent: null, found: newId },
          ...differs,
        ]
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
        this.#failuresInARow.add(kind, sent)
        return this.#stillUnknown(item, kind, taken.length > 0 || meaning === 'failed' ? messageOf(last) : undefined)
      }
      if (finding.is === 'created') return this.#succeeded(kind, sent, finding.newId)
      if (meaning === 'failed') break
    }
    this.#failuresInARow.add(kind, sent)
    const refused = this.#leave(item, kind, taken.length > 0 ? 'id_taken' : reasonOf(last), messageOf(last))
    const isRefused = meaning === 'refused' || meaning === 'failed'
    if (isRefused && kind === 'task' && this.#unproven.has(to.under)) this.#ended.set(to.under, { refused, others: 0 })
    return { is: 'not' }
  }

  #succeeded(kind: CallKind, sent: Place, newId: string | null): Called {
    this.#failuresInARow.clear(kind, sent)
    if (kind === 'task') this.#unproven.delete(sent.under)
    this.#created[kind] += 1
    return { is: 'created', newId, isEarlier: false }
  }

  #stillUnknown({ id, title, ...item }: RestoreItem, kind: CallKind, cause?: string): Called {
    const why = this.#unclear.get(textOfKey({ ...this.#key({ id, ...item }), call: kind }))
    this.#unknown.push({ kind, id, title, why: [cause, why ?? 'the answer was lost'].filter(Boolean).join('; ') })
    return { is: 'not' }
  }

  #leave({ id, title }: RestoreItem, kind: CallKind, reason: Reason, message: string): NotRestored {
    const left = { kind, id, title, reason, message }
    this.#notRestored.push(left)
    return left
  }

  /** What was not restored. A group whose first task was refused has one entry. */
  #left(): NotRestored[] {
    const ended = new Map([...this.#ended].map(([group, { refused, others }]) => [refused, { group, others }]))
    return this.#notRestored.map((left) => {
      const { group, others = 0 } = ended.get(left) ?? {}
      if (others === 0) return left
      const rest = `; left for the next run: ${formatNumber(others, 'other task')} of task group ${group}`
      return { ...left, message: `${left.message}${rest}`, more: others }
    })
  }

  #key({ kind, id }: Pick<RestoreItem, 'kind' | 'id'>): CallKey {
    return { call: kind, id }
  }
}

/** Failures since the last success; of tasks, for each task group: a wrong id of one must not stop the others. */
class FailuresInARow {
  readonly #counts = new Map<string, number>()

  of(kind: CallKind, sent: Place): number {
    return this.#counts.get(rowOf(kind, sent)) ?? 0
  }

  add(kind: CallKind, sent: Place): void {
    this.#counts.set(rowOf(kind, sent), this.of(kind, sent) + 1)
  }

  clear(kind: CallKind, sent: Place): void {
    this.#counts.delete(rowOf(kind, sent))
  }
}

function rowOf(kind: CallKind, { under }: Place): string {
  return kind === 'task' ? `task ${under}` : kind
}

function reasonOf(error: unknown): Reason {
  return isApiError(error, POST_FAILED) ? 'may_exist' : 'refused'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
