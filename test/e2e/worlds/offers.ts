import { OFFERS, type Offer } from '@collab-etl/contract'
import { isOptional, type StreamName } from '@collab-etl/contract/streams'
import type { Dice } from './dice.ts'
import type { Allowed } from './truth.ts'

/** By optional stream, what the sandbox must offer so that it can be read. */
const OFFER_OF = { members: 'members', entries: 'entries', task_comments: 'task-comments', teams: 'teams' } as const
type OptionalStream = keyof typeof OFFER_OF

/** What a service offers in its first night; a fifth of them offer nothing beyond the documented operations, ever. */
export function firstOffers(dice: Dice): Set<Offer> {
  return new Set(dice.chance(0.2) ? [] : dice.some(OFFERS, 0.6))
}

/** Between two nights, operations come and go: in some nights a few, seldom all that there are. */
export function changeOffers(offers: Set<Offer>, dice: Dice): void {
  if (dice.chance(0.1)) offers.clear()
  const often = dice.one([0, 0.2, 0.2, 0.5])
  for (const offer of dice.some(OFFERS, often)) if (!offers.delete(offer)) offers.add(offer)
}

/** The statuses of scopes that the service need not offer. */
export class Offers {
  /** Scopes that some night read completely. */
  readonly #read = new Set<string>()

  /** What is wrong with the status of a scope; a refusal is judged by whoever knows its rows. */
  judge(pid: string, stream: StreamName, status: string, allowed: Allowed): string[] {
    if (!isOptional(stream)) return []
    const scope = `${pid} ${stream}`
    const wasRead = this.#read.has(scope)
    if (status === 'complete') this.#read.add(scope)
    const isOffered = allowed.offered.has(OFFER_OF[stream])
    if (status === 'refused' && isOffered) return []
    if (allowed.fails(pid, stream)) return status === 'failed' ? [] : [`${stream} cannot be read, and is ${status}`]
    if (status === 'complete' && !isOffered) return [`${stream} is complete, though it is not offered`]
    if (status === 'carried' && !wasRead) return [`${stream} is carried, though it was never read`]
    if (status === 'drifted' && stream === 'members' && allowed.isCapped) return []
    if (!allowed.isSure || allowed.excuses(pid, stream)) return []
    if (allowed.isOff)
      return ['absent', 'carried'].includes(status) ? [] : [`${stream} is ${status}, and not to be used`]
    const wanted = isOffered ? 'complete' : wasRead ? 'carried' : 'absent'
    return status === wanted ? [] : [`${stream} is ${status} instead of ${wanted}`]
  }

  /** A project that was deleted was never read when it comes back. */
  forget(pid: string): void {
    for (const stream of Object.keys(OFFER_OF) as OptionalStream[]) this.#read.delete(`${pid} ${stream}`)
  }
}
