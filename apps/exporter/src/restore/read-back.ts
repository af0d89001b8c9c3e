import { setTimeout as sleep } from 'node:timers/promises'
import { isNotFound } from '@collab-etl/core'
import { isAuthError, isCollabError } from '@collab-etl/core/errors'
import pLimit from 'p-limit'
import { type Difference, differencesOfRecord, ID_FIELDS, sentFields } from './difference.ts'
import { type ComparedValues, compareValues } from './further/compare-values.ts'
import { contentOf, nameOf, type RestoreItem } from './item.ts'
import type { RestoreRequest } from './request.ts'
import { recordOfTask, type TargetRecord, targetRecords } from './service-calls.ts'

/** Posts read in parallel; the client may limit further. */
const POSTS_AT_ONCE = 8

/** A record that was created but differs from the backup. */
interface ReadDifference extends Difference {
  readonly item: RestoreItem
  readonly newId: string | null
  /** Whether it concerns the comment of a task. */
  readonly ofComment: boolean
}

/** A record that was created but could not be read. */
interface Unread {
  readonly item: RestoreItem
  readonly why: string
}

export interface ReadBack {
  /** Number of records that were compared. */
  readonly compared: Record<RestoreItem['kind'], number>
  readonly differences: readonly ReadDifference[]
  readonly unread: readonly Unread[]
  /** The values of records, task groups and events. */
  readonly values: ComparedValues
}

/** Reads all records that any run has created according to the journal, and compares them with the backup. */
export async function readBack(request: RestoreRequest): Promise<ReadBack> {
  const first = await readOnce(request)
  const isEqual = first.differences.length + first.values.inexact.length === 0
  if (isEqual || request.settleMs === 0) return first
  await sleep(request.settleMs, undefined, { signal: request.signal })
  return readOnce(request)
}

async function readOnce(request: RestoreRequest): Promise<ReadBack> {
  const parts = [await readList(request, 'page'), await readPosts(request), await readList(request, 'task')] as const
  const [page, post, task] = parts.map(({ compared }) => compared)
  return {
    compared: { page: page ?? 0, post: post ?? 0, task: task ?? 0 },
    differences: parts.flatMap(({ differences }) => differences),
    unread: parts.flatMap(({ unread }) => unread),
    values: await compareValues(request),
  }
}

/** The result for one kind of record. */
class Part {
  compared = 0
  readonly differences: ReadDifference[] = []
  readonly unread: Unread[] = []

  differ(item: RestoreItem, newId: string | null, found: readonly Difference[], ofComment = false): void {
    for (const difference of found) this.differences.push({ ...difference, item, newId, ofComment })
  }
}

/** The items of a kind that were created, by their new id. Several items may have the same. */
function createdOf({ plan, journal }: RestoreRequest, kind: RestoreItem['kind'], part: Part) {
  const created = new Map<string, RestoreItem[]>()
  for (const item of plan.items) {
    const call = item.kind === kind ? journal.state.of({ call: kind, id: item.id }) : undefined
    if (call?.state !== 'done') continue
    if (call.newId === null) part.unread.push({ item, why: 'its new id is unknown' })
    else created.set(call.newId, [...(created.get(call.newId) ?? []), item])
  }
  for (const [newId, items] of created) {
    // A newer backup of the target holds what was created, under its new id.
    const [first, ...others] = items.filter(({ id }) => id !== newId)
    for (const item of others)
      part.differ(item, newId, [idDifference(kind, newId, `also that of ${kind} ${first?.id}`)])
  }
  return created
}

async function readList(request: RestoreRequest, kind: 'page' | 'task'): Promise<Part> {
  const begun = new Part()
  const created = createdOf(request, kind, begun)
  if (created.size === 0) return begun
  let part = begun
  let seen = new Set<string>()
  try {
    const unaccounted = unaccountedOf(request, kind)
    for await (const found of targetRecords(request.client, request.toProject, kind)) {
      request.signal.throwIfAborted()
      if (found === 'restart') {
        part = new Part()
        createdOf(request, kind, part)
        seen = new Set()
        unaccounted.clear()
        continue
      }
      const items = created.get(found.id)
      if (items === undefined) unaccounted.take(found)
      if (items !== undefined) seen.add(found.id)
      for (const item of items ?? []) await compare(request, part, item, found)
    }
    for (const [newId, items] of created) {
      if (!seen.has(newId)) await compareUnlisted(request, part, { kind, newId, items })
    }
    for (const { item, newId } of await unaccounted.duplicates()) {
      part.differ(item, newId, [{ field: ID_FIELDS[kind], how: 'exists twice', sent: null, found: newId }])
    }
    return part
  } catch (error) {
    const failed = new Part()
    for (const items of created.values()) for (const item of items) failed.unread.push({ item, why: reasonOf(error) })
    return failed
  }
}

interface Unlisted {
  readonly kind: 'page' | 'task'
  readonly newId: string
  readonly items: readonly RestoreItem[]
}

/** Compares a record that the list does not have: a task that this restore archived is read by itself, any other is missing. */
async function compareUnlisted(request: RestoreRequest, part: Part, { kind, newId, items }: Unlisted): Promise<void> {
  const { client, toProject: pid, journal } = request
  const isArchived = kind === 'task' && items.some(({ id }) => journal.state.has({ kind: 'archived_state', id }))
  const unread = (why: string) => part.unread.push(...items.map((item) => ({ item, why })))
  if (isArchived && !client.capabilities.offers('tasks.get')) {
    unread('it is archived, and the service does not return one task')
    return
  }
  let found: TargetRecord | null = null
  try {
    if (isArchived) found = recordOfTask(await client.tasks.get({ pid, tid: newId }))
  } catch (error) {
    if (!isNotFound(error)) {
      unread(reasonOf(error))
      return
    }
  }
  for (const item of items) {
    if (found !== null) await compare(request, part, item, found)
    else part.differ(item, newId, [idDifference(kind, newId, 'not in the project')])
  }
}

async function compare(request: RestoreRequest, part: Part, item: RestoreItem, found: TargetRecord): Promise<void> {
  const { toProject: pid, journal } = request
  part.compared += 1
  const under = underOf(request, item)
  const record =
    item.kind === 'page' ? { parent_id: found.under, content: found.text } : { entry_id: found.under, desc: found.text }
  const text = contentOf(item.kind, (await request.read(item)).record)
  // An earlier run may have created the task in another group.
  const sent = sentFields(item.kind, { pid, name: nameOf(item), under: under ?? found.under, text })
  part.differ(item, found.id, differencesOfRecord(sent, { pid: found.pid, name: found.name, ...record }))
  // A newer backup of the target holds what was created, whether with or without a comment.
  const isOriginal = item.kind === 'task' && item.id !== found.id
  const comment = isOriginal ? journal.state.of({ call: 'comment', id: item.id }) : undefined
  if (comment?.state === 'done' && (found.comments ?? 0) === 0) {
    const count = found.comments === null ? null : '0'
    part.differ(item, found.id, [{ field: 'comment_count', how: 'missing', sent: '1', found: count }], true)
  }
}

/** The new parent of a page, or the group in which a task was created; `null` if unknown. */
function underOf({ journal: { state } }: RestoreRequest, item: RestoreItem): string | null {
  if (item.kind === 'task') return state.underOf({ call: 'task', id: item.id })
  if (item.parentId === null) return ''
  const parent = state.of({ call: 'page', id: item.parentId })
  return parent?.state === 'done' ? parent.newId : null
}

/** Finds records that are not in the journal but equal a created one: it may have been created twice. */
function unaccountedOf(request: RestoreRequest, kind: 'page' | 'task') {
  const byName = new Map<string, RestoreItem[]>()
  const keyOf = (name: string | null, under: string) => JSON.stringify([name, under])
  for (const item of request.plan.items) {
    if (item.kind !== kind) continue
    const key = keyOf(nameOf(item), underOf(request, item) ?? '')
    byName.set(key, [...(byName.get(key) ?? []), item])
  }
  let found: { readonly items: readonly RestoreItem[]; readonly newId: string; readonly text: string | null }[] = []
  return {
    clear: () => {
      found = []
    },
    take: ({ id, name, under, text }: TargetRecord) => {
      const items = byName.get(keyOf(name, under))
      if (items !== undefined && !request.journal.state.isAccountedFor(kind, id)) found.push({ items, newId: id, text })
    },
    duplicates: async () => {
      const duplicates: { readonly item: RestoreItem; readonly newId: string }[] = []
      for (const { items, newId, text } of found) {
        for (const item of items) {
          if (request.journal.state.of({ call: kind, id: item.id })?.state !== 'done') continue
          if (contentOf(kind, (await request.read(item)).record) !== (text ?? '')) continue
          duplicates.push({ item, newId })
          break
        }
      }
      return duplicates
    },
  }
}

async function readPosts(request: RestoreRequest): Promise<Part> {
  const part = new Part()
  const created = createdOf(request, 'post', part)
  const limit = pLimit(POSTS_AT_ONCE)
  const reading = [...created].map(([newId, items]) =>
    limit(async () => {
      request.signal.throwIfAborted()
      for (const item of items) await readPost(request, part, item, newId)
    }),
  )
  await Promise.all(reading)
  return part
}

async function readPost(request: RestoreRequest, part: Part, item: RestoreItem, newId: string): Promise<void> {
  const { client, toProject: pid } = request
  try {
    const post = await client.posts.get({ pid, post_id: newId })
    const sent = sentFields('post', {
      pid,
      name: nameOf(item),
      under: '',
      text: contentOf('post', (await request.read(item)).record),
    })
    part.compared += 1
    part.differ(item, newId, differencesOfRecord({ ...sent, post_id: newId }, post))
  } catch (error) {
    if (isNotFound(error)) part.differ(item, newId, [idDifference('post', newId, 'not in the project')])
    else part.unread.push({ item, why: reasonOf(error) })
  }
}

function idDifference(kind: RestoreItem['kind'], newId: string, how: string): Difference {
  return { field: ID_FIELDS[kind], how, sent: null, found: newId }
}

/** Why a record could not be read. Rethrows errors that concern more than one answer. */
function reasonOf(error: unknown): string {
  if (isAuthError(error) || !isCollabError(error)) throw error
  return error.message
}
