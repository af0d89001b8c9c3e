import type { Called, Calls } from '../calls.ts'
import type { EventItem, FurtherKind, RestoreItem } from '../item.ts'
import { type CallKey, textDigest } from '../journal-lines.ts'
import type { NotRestored } from '../outcome.ts'
import type { RestoreRequest } from '../request.ts'
import { FURTHER, type SentValue } from './kinds.ts'
import { type FurtherValue, nameToSend, valueOfEvent, valuesOf } from './values.ts'

const keyOf = ({ kind: call, id }: FurtherValue): CallKey => ({ call, id })

/** Creates task groups, events, and the values of records, as far as the service offers it. */
export class ValueWriter {
  readonly #request: RestoreRequest
  readonly #calls: Calls
  /** Kinds that the service does not have, as its first answer showed, with the number of values that were not attempted since. */
  readonly #ended = new Map<FurtherKind, NotRestored & { more: number }>()

  constructor(request: RestoreRequest, calls: Calls) {
    this.#request = request
    this.#calls = calls
  }

  /** The events to create. */
  get events(): readonly EventItem[] {
    const { plan, possible } = this.#request
    return possible.kinds.has('event') ? plan.events : []
  }

  async createGroups(): Promise<void> {
    for (const { id, name } of this.#request.groupsToCreate) {
      this.#request.signal.throwIfAborted()
      await this.#write({ kind: 'group', id, name, text: '' }, '')
    }
  }

  async createEvent(item: EventItem): Promise<void> {
    const value = valueOfEvent((await this.#request.read(item)).record)
    if (value !== null) await this.#write(value, value.under)
  }

  /**
   * Writes the values of a record. Those of a task are written once: if a later backup has others, they are compared only, as its title and
   * text are. New comments are records of their own.
   */
  async writeOf(item: RestoreItem, newId: string): Promise<void> {
    const { journal, possible, signal } = this.#request
    // A newer backup of the target itself has what was created.
    if (item.kind === 'page' || newId === item.id) return
    const values = valuesOf(item, await this.#request.read(item), possible)
    const isWritten = journal.state.isWritten(item.id)
    let isWhole = true
    for (const value of values) {
      if (isWritten && value.kind !== 'task_comment' && journal.state.of(keyOf(value)) === undefined) continue
      signal.throwIfAborted()
      isWhole = (await this.#write(value, newId)) && isWhole
    }
    if (item.kind === 'task' && isWhole && !isWritten && possible.kinds.has('label')) await journal.written(item.id)
  }

  /** Returns whether the value is in the target now. */
  async #write(value: FurtherValue, under: string): Promise<boolean> {
    const { client, toProject, journal } = this.#request
    const { kind, id, text } = value
    const what: Called = { kind, id, title: value.name || text }
    const earlier = this.#calls.earlier(what)
    if (earlier !== null) return earlier.is === 'created'
    const ended = this.#ended.get(kind)
    if (ended !== undefined) {
      ended.more += 1
      return false
    }
    const name = nameToSend(value, journal.state)
    if (name === null) return false
    const sent: SentValue = { name, text, under }
    const called = await this.#calls.make(what, {
      idField: 'id',
      sent: { ...sent, text: textDigest(text) },
      send: async () => ({ newId: await FURTHER[kind].write(client, toProject, sent), differs: [] }),
    })
    if (called.is === 'not' && called.refused?.reason === 'not_offered')
      this.#ended.set(kind, Object.assign(called.refused, { more: 0 }))
    return called.is === 'created'
  }
}
