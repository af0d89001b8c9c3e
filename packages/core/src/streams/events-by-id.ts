import type { EventsById, RecordKinds } from '@collab-etl/contract/streams'
import type { FirstRecords } from '../capabilities/try-records.ts'
import type { Client } from '../client.ts'
import { isBudgetError } from '../errors/collab-error.ts'
import { isNotFound } from '../errors/not-found.ts'
import { concernsRequest } from '../errors/transport-error.ts'
import type { ObjectAnswer } from '../operations/results.ts'
import { askedTwice } from './asked-twice.ts'
import { atOnce } from './at-once.ts'
import type { ScopeReading } from './scope-reading.ts'
import { Breaker } from './unread-items.ts'

type AnyEvent = RecordKinds['event']

interface EventsContext {
  readonly client: Client
  readonly pid: string
  readonly signal: AbortSignal
  readonly firstRecords: FirstRecords
}

/** What the service answered, event by event. */
interface Answers extends EventsById {
  readonly records: readonly AnyEvent[]
  readonly losses: ObjectAnswer<AnyEvent>['losses']
}

/**
 * Asks for events that a walk cannot show, one by one, where the service offers that (docs/dev/service-api.md#observed-operations). One that
 * gives no clear answer stays as it is stored. "Does not exist" counts only where the service gives another event of the project by its
 * id: a service that no longer offers the operation may answer the same.
 * @returns `null`: nothing was found out
 * @throws an abort
 */
export async function readEventsById(
  context: EventsContext,
  reading: ScopeReading,
  ids: readonly string[],
): Promise<Answers | null> {
  if (ids.length === 0) return null
  const { client, pid, signal, firstRecords } = context
  const { stats } = reading
  const get = (id: string) => client.events.get.read({ pid, event_id: id }, { signal, stats })
  await firstRecords.tryOutEvent(client, pid, signal)
  if (!client.capabilities.offers('events.get')) return null
  const breaker = new Breaker()
  const existing: string[] = []
  const gone: string[] = []
  const answers: ObjectAnswer<AnyEvent>[] = []
  let isOverBudget = false
  const askOne = async (id: string): Promise<void> => {
    if (breaker.isOpen || isOverBudget) return
    try {
      const answer = await askedTwice(() => get(id))
      breaker.answered()
      // a cache or a proxy mixed up two requests
      if (answer.record.event_id !== id) return
      answers.push(answer)
      // one that recurs has further starts
      if (!answer.record.recurrence) existing.push(id)
    } catch (error) {
      if (!concernsRequest(error)) throw error
      if (isNotFound(error)) gone.push(id)
      if (isBudgetError(error)) isOverBudget = true
      else breaker.failed(error)
    }
  }
  await atOnce(ids, askOne)
  const isProven = gone.length === 0 || answers.length > 0 || (await givesFirst(context, get))
  return {
    existing,
    gone: isProven ? gone : [],
    records: answers.map(({ record }) => record),
    losses: answers.flatMap(({ losses }) => losses),
  }
}

/** Whether the service gives the first event that was read of the project by its id. */
async function givesFirst(
  { firstRecords }: EventsContext,
  get: (id: string) => Promise<ObjectAnswer<AnyEvent>>,
): Promise<boolean> {
  const { eventId } = firstRecords
  if (eventId === undefined) return false
  try {
    return (await get(eventId)).record.event_id === eventId
  } catch (error) {
    if (!concernsRequest(error)) throw error
    return false
  }
}
