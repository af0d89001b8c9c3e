import type { Called, Calls } from '../calls.ts'
import type { EventItem, FurtherKind, RestoreItem } from '../item.ts'
import { textDigest } from '../journal-lines.ts'
import type { NotRestored, Reason } from '../outcome.ts'
import type { RestoreRequest } from '../request.ts'
import { FURTHER, type SentValue } from './kinds.ts'
import { TargetReader } from './target-reader.ts'
import { type FurtherValue, isOfRecord, nameToSend, valueOfEvent, valuesOf } from './values.ts'

/** Why no more values of a kind are attempted. */
interface Ended {
  readonly reason: Reason
  readonly message: string
  /** The entry of the report that counts those that are left out. */
  entry: (NotRestored & { more: number }) | null
}

/** Creates task groups, events, and the values of records, as far as the service offers it. */
export class ValueWriter {
  readonly #request: RestoreRequest
  readonly #calls: Calls
  readonly #ended = new Map<FurtherKind, Ended>()
  #isEventChecked = false

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
    if (value === null || !(await this.#write(value, value.under)) || this.#isEventChecked) return
    this.#isEventChecked = true
    await this.#checkTimes(value)
  }

  /**
   * Writes the values of a record. Those of a task are written once: if a later backup has others, they are only compared, as its title and
   * text are. New comments are records of their own.
   */
  async writeOf(item: RestoreItem, newId: string): Promise<void> {
    const { journal, possible, signal } = this.#request
    // A newer backup of the target itself has what was created.
    if (item.kind === 'page' || newId === item.id) return
    const record = await this.#request.read(item)
    const isWritten = journal.state.isWritten(item.id)
    for (const value of valuesOf(item, record, possible)) {
      if (isWritten && isOfRecord(value) && !journal.state.has(value)) continue
      signal.throwIfAborted()
      await this.#write(value, newId)
    }
    if (item.kind !== 'task' || isWritten || !possible.kinds.has('label')) return
    const isWhole = valuesOf(item, record).every((value) => !isOfRecord(value) || journal.state.has(value))
    if (isWhole) await journal.written(item.id)
  }

  /** Returns whether the value is in the target now. */
  async #write(value: FurtherValue, under: string): Promise<boolean> {
    const { client, toProject, journal } = this.#request
    const { kind, id, text } = value
    const what: Called = { kind, id, title: value.name || text }
    const earlier = this.#calls.earlier(what)
    if (earlier !== null) return earlier.is === 'created'
    const name = nameToSend(value, journal.state)
    if (name === null || this.#leaveOut(what)) return false
    const sent: SentValue = { name, text, under }
    const called = await this.#calls.make(what, {
      idField: 'id',
      sent: { ...sent, text: textDigest(text) },
      send: async () => ({ newId: await FURTHER[kind].write(client, toProject, sent), differs: [] }),
    })
    if (called.is === 'not' && called.refused?.reason === 'not_offered')
      this.#ended.set(kind, { ...called.refused, entry: Object.assign(called.refused, { more: 0 }) })
    return called.is === 'created'
  }

  /** Whether no more values of the kind are attempted. One entry of the report counts all of them. */
  #leaveOut(what: Called): boolean {
    const ended = this.#ended.get(what.kind as FurtherKind) // only these are written here
    if (ended === undefined) return false
    if (ended.entry !== null) ended.entry.more += 1
    else ended.entry = Object.assign(this.#calls.leave(what, ended.reason, ended.message), { more: 0 })
    return true
  }

  /** Times of day are sent in UTC. A service that takes them in another zone would put every event at a wrong time. */
  async #checkTimes(value: FurtherValue & SentValue): Promise<void> {
    const { client, toProject, journal } = this.#request
    const call = journal.state.of({ call: 'event', id: value.id })
    if (call?.state !== 'done') return
    const shown = await FURTHER.event.list(new TargetReader(client, toProject), value)
    const found = shown.find(({ id }) => id === call.newId)?.under
    if (found === undefined || found === value.under) return
    const message = `not created, because the service placed the first event at ${found} instead of ${value.under}: correct or delete that one`
    this.#ended.set('event', { reason: 'stopped', message, entry: null })
  }
}
