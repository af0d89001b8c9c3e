import { type CallOptions, type Client, isNotFound, type OptionalOperation, tryOperations } from '@collab-etl/core'
import type { EntryMapping } from '../entries.ts'
import { FURTHER_KINDS } from '../item.ts'
import { isEmpty, type Plan } from '../plan.ts'
import type { Unrestorable } from '../unrestorable.ts'
import { FURTHER, type Possible } from './kinds.ts'

export const NOTHING_FURTHER: Possible = { kinds: new Set(), members: new Set() }

/** No record has this id: asked for it, a service that offers the operation answers that the record does not exist. */
const NO_ID = '0'.repeat(24)

/** Operations on what can be restored. */
const RELATED: readonly OptionalOperation[] = [
  'posts.list',
  'events.get',
  ...FURTHER_KINDS.flatMap((kind) => FURTHER[kind].reads),
]

/**
 * Finds out what can be restored: the kinds of values that can be read back. Only GET requests are sent. Kinds that documented operations
 * read count if the service offers anything related: a service that follows its documentation has no operation that creates them.
 * @param tid a task of the target, if it has any
 */
export async function findPossible(
  client: Client,
  pid: string,
  { tid = NO_ID, signal }: { readonly tid: string | undefined; readonly signal: AbortSignal },
): Promise<Possible> {
  const { capabilities } = client
  if (!capabilities.isOn) return NOTHING_FURTHER
  await tryOperations(client, [{ pid, listed: null }], { signal })
  const one = { pid, tid }
  await tryOut('tasks.get', (options) => client.tasks.get(one, options))
  await tryOut('tasks.comments.list', (options) => client.tasks.comments.list(one, options))
  await tryOut('events.get', (options) => client.events.get({ pid, event_id: NO_ID }, options))
  if (!RELATED.some((id) => capabilities.offers(id))) return NOTHING_FURTHER
  const kinds = FURTHER_KINDS.filter((kind) => FURTHER[kind].reads.every((id) => capabilities.offers(id)))
  const hasMembers = capabilities.offers('projects.members.list')
  const members = hasMembers ? await client.projects.members.list({ pid }, { signal }) : []
  return { kinds: new Set(kinds), members: new Set(members.map(({ uid }) => uid)) }

  function tryOut(id: Parameters<typeof capabilities.tryOut>[0], ask: (options: CallOptions) => Promise<unknown>) {
    return capabilities.tryOut(id, async (options) => {
      try {
        await ask({ ...options, signal })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    })
  }
}

/** What cannot be restored, after all that the service offers. */
export function notCarried(
  { unrestorable, further, members, groups }: Plan,
  { kinds, members: inTarget }: Possible,
  { rows }: Pick<EntryMapping, 'rows'>,
): Unrestorable {
  const left = { ...unrestorable }
  for (const kind of kinds) {
    const { counted } = FURTHER[kind]
    if (counted !== null) left[counted] -= further[kind] ?? 0
  }
  if (kinds.has('member')) {
    left.members = [...members].reduce((sum, [uid, { tasks }]) => sum + (inTarget.has(uid) ? 0 : tasks), 0)
  }
  if (!kinds.has('event')) left.event_details = 0
  const carried = new Set(rows.filter(({ by }) => by !== null && by !== 'entry').map(({ group }) => group))
  left.empty_groups = groups.filter((group) => isEmpty(group) && !carried.has(group)).length
  return left
}
