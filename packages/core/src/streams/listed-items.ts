import { isDeepStrictEqual } from 'node:util'
import { isOfList, POSSIBLY_CAPPED } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import { isBudgetError } from '../errors/collab-error.ts'
import { concernsRequest } from '../errors/transport-error.ts'
import { newStats, type RequestStats } from '../http/events.ts'
import { showsAbsence } from '../http/shows-absence.ts'
import { type Answer, collect, elementCount } from '../walk/collect.ts'
import { cutAt, judgeLength } from '../walk/cut.ts'
import type { DiscoveredKind, IdQueue } from './id-queues.ts'
import type { Listing } from './queue-state.ts'
import { describe } from './run-scopes.ts'
import { budgetUsedUp } from './unread-items.ts'

interface ListingContext {
  readonly client: Client
  readonly pid: string
  readonly signal: AbortSignal
}

/**
 * Queues what the service lists, where it offers a list (docs/dev/service-api.md#observed-operations): the posts of a project, or its files folder
 * by folder. Ids from links stay a second source. A list that cannot be read makes the scope `partial`.
 * @throws errors that end the run
 */
export async function queueListed(kind: DiscoveredKind, context: ListingContext, queue: IdQueue): Promise<void> {
  const { capabilities } = context.client
  if (!capabilities.offers(kind === 'post' ? 'posts.list' : 'files.list')) return
  const listing = new ItemListing()
  if (kind === 'post') await listPosts(context, listing)
  else await listFolders(context, listing)
  if (!listing.isAbsent) queue.addListed(listing.result)
}

async function listPosts({ client, pid, signal }: ListingContext, listing: ItemListing): Promise<void> {
  const answer = await listing.read('list', (stats) => client.posts.list.batches({ pid }, { signal, stats }))
  for (const { post_id: id } of answer?.records ?? []) listing.ids.add(id)
}

const FOLDER = 1

/** Reads each folder once, also where folders hold each other. */
async function listFolders({ client, pid, signal }: ListingContext, listing: ItemListing): Promise<void> {
  const folders: (string | null)[] = [null]
  let top: string[] = []
  for (const folder of folders) {
    const of = folder === null ? { pid } : { pid, folder_id: folder }
    const answer = await listing.read(folder ?? 'list', (stats) => client.files.list.batches(of, { signal, stats }))
    const fids = (answer?.records ?? []).map(({ fid }) => fid).toSorted()
    if (folder === null) top = fids
    else if (fids.length > 0 && isDeepStrictEqual(fids, top)) listing.repeatsTop = true
    for (const { fid, type } of answer?.records ?? []) {
      const isNew = !listing.ids.has(fid)
      listing.ids.add(fid)
      if (Number(type) !== FOLDER) continue
      if (isNew) folders.push(fid)
      else client.findings.report(REPEATED_FOLDER)
    }
  }
}

const REPEATED_FOLDER = {
  operation: 'files.list',
  message: 'a folder is listed more than once; each is read once',
  isDeparture: true,
}

const UNREADABLE = { code: 'UNKEYED', message: 'the list is null, or has elements without a readable id' }

/** Collects the ids of lists, and what could not be read. */
class ItemListing {
  readonly ids = new Set<string>()
  /** The service does not offer the list for this project. */
  isAbsent = false
  repeatsTop = false
  readonly #unread: Listing['unread'][number][] = []
  readonly #stats = newStats()
  #suspicious: number | undefined

  get result(): Listing {
    const { ids, repeatsTop } = this
    return { ids, repeatsTop, unread: this.#unread, suspicious: this.#suspicious, stats: this.#stats }
  }

  /** @param id what is missing if it cannot be read */
  async read<R>(
    id: string,
    batches: (stats: RequestStats) => Parameters<typeof collect<R>>[0],
  ): Promise<Answer<R> | null> {
    try {
      const answer = await collect(batches(this.#stats))
      this.#judge(id, answer)
      return answer
    } catch (error) {
      if (!concernsRequest(error)) throw error
      // for want of requests it is a night without the list: known ids are carried
      if ((showsAbsence(error) && id === 'list') || isBudgetError(error)) this.isAbsent = true
      this.#unread.push({ id, error: isBudgetError(error) ? budgetUsedUp(undefined) : describe(error) })
      return null
    }
  }

  #judge(id: string, answer: Answer<unknown>): void {
    const { total, losses } = answer
    const count = elementCount(answer)
    if (losses.some(isOfList)) this.#unread.push({ id, error: UNREADABLE })
    const verdict = judgeLength({ count, total })
    if (verdict === 'suspicious') this.#suspicious ??= count
    if (verdict === 'cut') {
      this.#unread.push({ id, error: { code: POSSIBLY_CAPPED, message: cutAt(count, total ?? count) } })
    }
  }
}
