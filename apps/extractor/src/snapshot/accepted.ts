import {
  type AcceptedFailure,
  isForbidden,
  isProjectNotFound,
  isWhole,
  STREAMS,
  type StreamName,
  UNREAD_ITEMS,
} from '@collab-etl/contract/streams'
import type { AcceptedPlace, AcceptedScope, UnreadItemRow, Warehouse } from '@collab-etl/warehouse'
import type { ScopeReport, Tally } from './tally.ts'

/** A known failure that may leave a run whole, from the warehouse or from `nightly.accept`. */
export interface Acceptance extends AcceptedPlace {
  readonly until: Date
  readonly reason: string
}

/** How a scope ended, as far as the decision needs it. */
export type EndedScope = Pick<ScopeReport, 'pid' | 'stream' | 'status' | 'error' | 'carried'>

/** How the scopes of a run ended, and which items it could not read. */
export interface EndedScopes {
  readonly scopes: readonly EndedScope[]
  readonly unread: readonly Pick<UnreadItemRow, 'pid' | 'stream' | 'item_id' | 'from_text'>[]
}

/** What a run says about acceptances. */
export interface AcceptanceNotes {
  readonly accepted: readonly AcceptedScope[]
  /** No longer needed. */
  readonly unneeded: readonly AcceptedFailure[]
  /** Ended, although what they accepted still fails. */
  readonly ended: readonly AcceptedFailure[]
}

const PLACE = new RegExp(`^(.*?)/(${STREAMS.join('|')})(?:/(.+))?$`, 's')

/** The place that `PID/STREAM[/ITEM]` names; `null` if the text names no stream. */
export function parsePlace(text: string): AcceptedPlace | null {
  const [, pid = '', name, item = null] = PLACE.exec(text) ?? []
  const stream = STREAMS.find((known) => known === name)
  return stream === undefined ? null : { pid: pid === '' ? null : pid, stream, item }
}

/** A place as it is typed and shown. */
export function placeText({ pid, stream, item }: AcceptedPlace): string {
  return `${pid ?? ''}/${stream}${item === null ? '' : `/${item}`}`
}

/** Marks the scopes of which all that is missing was accepted: in the warehouse, or for this run. */
export async function markAccepted({
  warehouse,
  options,
  tally,
}: {
  readonly warehouse: Warehouse
  readonly options: {
    readonly projects: ReadonlySet<string> | null
    readonly streams: ReadonlySet<StreamName>
    readonly accepted: readonly Acceptance[]
  }
  readonly tally: Tally
}): Promise<AcceptanceNotes> {
  const acceptances = [...(await warehouse.log.acceptedFailures()), ...options.accepted]
  const now = new Date()
  const accepted = acceptedIn(tally, acceptances, now)
  const readsAll = options.projects === null && STREAMS.every((stream) => options.streams.has(stream))
  tally.accept(accepted)
  return {
    accepted,
    unneeded: unneededIn(tally, acceptances, { now, readsAll }),
    ended: endedIn(tally, acceptances, { now, accepted }),
  }
}

/**
 * The one place that decides which scopes of a run lack nothing but accepted failures, with these. An item that is accepted accepts no other
 * item of its scope. Never accepted: a run in which no project could be read, and what `isAcceptable` rules out.
 */
export function acceptedIn(run: EndedScopes, acceptances: readonly Acceptance[], now: Date): AcceptedScope[] {
  const valid = acceptances.filter(({ until }) => until > now)
  if (valid.length === 0 || isTotalFailure(run.scopes)) return []
  return run.scopes.flatMap((scope) => {
    const used = usedFor(scope, run, valid)
    return used === null ? [] : [{ pid: scope.pid, stream: scope.stream, accepted: used.map(failureOf) }]
  })
}

/** The acceptances that cover all that is missing from a scope; `null`: something else is missing, or nothing. */
function usedFor(scope: EndedScope, run: EndedScopes, valid: readonly Acceptance[]): readonly Acceptance[] | null {
  if (isWhole(scope) || !isAcceptable(scope)) return null
  const own = valid.filter((acceptance) => isOf(acceptance, scope))
  const ofScope = own.find(({ item }) => item === null)
  if (ofScope !== undefined) return [ofScope]
  if (scope.status !== 'partial' || scope.error?.code !== UNREAD_ITEMS) return null
  const missed = [...missedItems(scope, run)]
  const used = missed.map((id) => own.find(({ item }) => item === id)).filter((each) => each !== undefined)
  return missed.length > 0 && used.length === missed.length ? used : null
}

/** Whether failures of a scope can be accepted: not those of the list of projects, which decides what is read at all, nor a refused deletion. */
export function isAcceptable({ pid, stream, status }: Pick<EndedScope, 'pid' | 'stream' | 'status'>): boolean {
  return status !== 'refused' && !(pid === null && stream === 'projects')
}

/** The items for which a scope is partial. */
export function missedItems(scope: Pick<EndedScope, 'pid' | 'stream'>, { unread }: EndedScopes): ReadonlySet<string> {
  return new Set(unread.filter((item) => isOf(item, scope) && !item.from_text).map(({ item_id: id }) => id))
}

/** Whether no project could be read at all. */
export function isTotalFailure(scopes: readonly EndedScope[]): boolean {
  const ofProjects = scopes.filter(({ pid }) => pid !== null)
  return ofProjects.every((scope) => scope.status === 'failed' || isForbidden(scope))
}

/**
 * The acceptances that are no longer needed: the run read what they accept, or `readsAll` and there is no such scope. Those about which the run
 * shows nothing are left out.
 */
export function unneededIn(
  run: EndedScopes,
  acceptances: readonly Acceptance[],
  { now, readsAll }: { readonly now: Date; readonly readsAll: boolean },
): AcceptedFailure[] {
  const needless = acceptances.filter(({ until, item, ...of }) => {
    if (until <= now) return false
    const scope = run.scopes.find((each) => isOf(of, each))
    if (scope === undefined) return readsAll
    if (isProjectNotFound(scope)) return true
    if (item === null) return scope.status === 'complete' && scope.carried === 0
    const isRead = scope.status === 'complete' || scope.status === 'partial'
    return isRead && !run.unread.some((unread) => isOf(unread, scope) && unread.item_id === item)
  })
  return needless.map(failureOf)
}

/** The acceptances that have ended although what they accepted still fails, and no other one accepts it. */
export function endedIn(
  run: EndedScopes,
  acceptances: readonly Acceptance[],
  { now, accepted }: { readonly now: Date; readonly accepted: readonly AcceptedScope[] },
): AcceptedFailure[] {
  const ended = acceptances.filter(({ until, item, ...of }) => {
    if (until > now || accepted.some((scope) => isOf(of, scope))) return false
    const scope = run.scopes.find((each) => isOf(of, each))
    if (scope === undefined || isWhole(scope)) return false
    return item === null || missedItems(scope, run).has(item)
  })
  return ended.map(failureOf)
}

function failureOf(acceptance: Acceptance): AcceptedFailure {
  return { scope: placeText(acceptance), until: acceptance.until.toISOString(), reason: acceptance.reason }
}

function isOf(of: Pick<EndedScope, 'pid' | 'stream'>, scope: Pick<EndedScope, 'pid' | 'stream'>): boolean {
  return of.pid === scope.pid && of.stream === scope.stream
}
