import { formatNumber } from '@collab-etl/cli'
import { type Called, Calls, type Result } from './calls.ts'
import { differencesOfAnswer, ID_FIELDS, sentFields } from './difference.ts'
import { ValueWriter } from './further/write-values.ts'
import { type CallKind, contentOf, nameOf, type RestoreItem } from './item.ts'
import { type Sent, textDigest } from './journal-lines.ts'
import type { Inexact, NotRestored, RestoreOutcome } from './outcome.ts'
import { provenanceOf } from './provenance.ts'
import { readBack } from './read-back.ts'
import type { RestoreRequest } from './request.ts'
import { create } from './service-calls.ts'

/** Where a record is created. */
type Place = Omit<Sent, 'text'>

/** Creates the items of a plan one after the other, with their values. */
export class Restorer {
  readonly #request: RestoreRequest
  readonly #calls: Calls
  readonly #values: ValueWriter
  /** Task groups whose ids may be wrong: no task of the target names them yet. */
  readonly #unproven: Set<string>
  /** Of these, the groups whose first task was refused, with that task and the number of others, which are not attempted. */
  readonly #ended = new Map<string, { readonly refused: NotRestored; others: number }>()

  constructor(request: RestoreRequest) {
    this.#request = request
    this.#calls = new Calls(request)
    this.#values = new ValueWriter(request, this.#calls)
    this.#unproven = new Set(request.unnamed)
  }

  async run(): Promise<RestoreOutcome> {
    const { plan, journal, signal, onItem, present } = this.#request
    if (present !== null) await journal.keepPresent(present)
    await this.#calls.resolveUnknown()
    await this.#values.createGroups()
    const steps = [
      ...plan.items.map((item) => () => this.#restore(item)),
      ...this.#values.events.map((event) => () => this.#values.createEvent(event)),
    ]
    for (const [index, step] of steps.entries()) {
      signal.throwIfAborted()
      await step()
      onItem(index + 1, steps.length)
    }
    const { finished: finishedBefore } = journal.state
    this.#request.onReadBack()
    const read = await readBack(this.#request)
    const { created, before, notRestored, unknown } = this.#calls
    const isFinished = notRestored.length + unknown.length === 0
    if (isFinished && finishedBefore === null) await journal.finished(this.#request.backupName)
    const ofReading = read.differences.map(({ item, ofComment, ...difference }): Inexact => {
      return { kind: ofComment ? 'comment' : item.kind, id: item.id, title: item.title, seen: 'read', ...difference }
    })
    return {
      created,
      before,
      notRestored: this.#left(),
      unknown,
      finishedBefore,
      inexact: [...plan.items.flatMap((item) => this.#inexactAnswers(item)), ...ofReading, ...read.values.inexact],
      compared: { ...read.compared, ...read.values.compared },
      notCompared: [
        ...read.unread.map(({ item: { kind, id, title }, why }) => ({ kind, id, title, why })),
        ...read.values.notCompared,
      ],
    }
  }

  /** Differences between requests and answers, of all runs. */
  #inexactAnswers({ kind: own, id, title }: RestoreItem): Inexact[] {
    const kinds: readonly CallKind[] = own === 'task' ? ['task', 'comment'] : [own]
    return kinds.flatMap((kind) => {
      const known = this.#request.journal.state.of({ call: kind, id })
      if (known?.state !== 'done') return []
      const { newId, differs } = known
      return differs.map((difference): Inexact => ({ kind, id, title, newId, seen: 'answer', ...difference }))
    })
  }

  async #restore(item: RestoreItem): Promise<void> {
    const { kind } = item
    const under = this.#under(item)
    if (under === null) return
    const to = { name: nameOf(item), under }
    const called = await this.#call(item, kind, to, async () => {
      return contentOf(kind, (await this.#request.read(item)).record)
    })
    if (called.is === 'not') return
    if (kind === 'task' && this.#request.provenance) await this.#addProvenance(item, called)
    if (called.newId !== null) await this.#values.writeOf(item, called.newId)
  }

  async #addProvenance(item: RestoreItem, { newId, isEarlier }: Extract<Result, { is: 'created' }>): Promise<void> {
    if (newId === null) {
      this.#calls.leave({ ...item, kind: 'comment' }, 'no_id', 'the id of its task is unknown')
      return
    }
    const comment = { name: nameOf(item), under: newId, ...(isEarlier && { isLater: true }) }
    await this.#call(item, 'comment', comment, async () => provenanceOf((await this.#request.read(item)).record))
  }

  /** The new parent of a page, or the group of a task. Returns `null` and reports the item if there is none. */
  #under(item: RestoreItem): string | null {
    const { groupOf, journal } = this.#request
    const state = journal.state
    if (item.kind === 'post') return ''
    if (item.kind === 'task') {
      const group = groupOf(item.entryId)
      if (group.is === 'known') return group.id
      if (state.of({ call: 'task', id: item.id }) !== undefined) return ''
      if (group.is === 'to_create')
        this.#calls.leave(item, 'group_not_restored', `its task group ${item.entryId} was not created`)
      else this.#calls.leave(item, 'no_entry', 'no task group: set --entry ENTRY_ID, or --entries')
      return null
    }
    if (item.parentId === null) return ''
    const parent = state.of({ call: 'page', id: item.parentId })
    if (parent?.state === 'done' && parent.newId !== null) return parent.newId
    this.#calls.leave(item, 'parent_not_restored', `its parent page ${item.parentId} is not restored`)
    return null
  }

  /** Makes a call, unless an earlier run made it. */
  async #call(item: RestoreItem, kind: CallKind, to: Place, readText: () => Promise<string>): Promise<Result> {
    const { client, toProject: pid } = this.#request
    const what: Called = { kind, id: item.id, title: item.title }
    const earlier = this.#calls.earlier(what)
    if (earlier !== null) return earlier
    const ended = kind === 'task' ? this.#ended.get(to.under) : undefined
    if (ended !== undefined) {
      ended.others += 1
      return { is: 'not', refused: null }
    }
    const text = await readText()
    // A wrong id of one task group must not stop the tasks of the others.
    const ofGroup = kind === 'task' ? { row: `task ${to.under}`, rowName: 'task group' } : {}
    const called = await this.#calls.make(what, {
      ...ofGroup,
      idField: ID_FIELDS[kind],
      sent: { ...to, text: textDigest(text) },
      send: async () => {
        const { id: newId, answer } = await create(client, pid, kind, to, text)
        return { newId, differs: differencesOfAnswer(kind, sentFields(kind, { pid, ...to, text }), answer) }
      },
    })
    if (kind !== 'task') return called
    if (called.is === 'created') this.#unproven.delete(to.under)
    else if (called.refused !== null && this.#unproven.has(to.under))
      this.#ended.set(to.under, { refused: called.refused, others: 0 })
    return called
  }

  /** What was not restored. A group whose first task was refused has one entry. */
  #left(): NotRestored[] {
    const ended = new Map([...this.#ended].map(([group, { refused, others }]) => [refused, { group, others }]))
    return this.#calls.notRestored.map((left) => {
      const { group, others = 0 } = ended.get(left) ?? {}
      if (others === 0) return left
      const rest = `; left for the next run: ${formatNumber(others, 'other task')} of task group ${group}`
      return { ...left, message: `${left.message}${rest}`, more: others }
    })
  }
}
