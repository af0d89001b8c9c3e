import type { Comment, Received } from '@collab-etl/contract'
import type { RecordLoss, StreamBatch, StreamName } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import type { CallOptions, RecordBatch } from '../operations/results.ts'
import type { DiscoveredKind, IdQueues } from './id-queues.ts'

export type ReceivedComment = Received<typeof Comment>

/** A post or a file without its comments. */
export interface ItemDetail<D> {
  /** The id that the service returned. */
  readonly id: string
  readonly detail: D
  readonly losses: readonly RecordLoss[]
}

/** A post or a file with its comments. */
export interface Item<D> extends ItemDetail<D> {
  readonly comments: readonly ReceivedComment[]
  readonly commentLosses: readonly RecordLoss[]
}

/** How items of one kind are read, which ids they name, and how they are emitted. */
export interface ItemSource<D> {
  readonly kind: DiscoveredKind
  readonly stream: StreamName
  /** The service's error code for an item that does not exist. */
  readonly missing: number
  /** @throws the service's error `missing` if the item does not exist */
  readDetail(client: Client, pid: string, id: string, options: CallOptions): Promise<ItemDetail<D>>
  /** @param asked the id by which the detail was requested */
  comments(
    client: Client,
    pid: string,
    thing: ItemDetail<D>,
    options: CallOptions & { readonly asked: string },
  ): AsyncIterable<RecordBatch<ReceivedComment>>
  /** Whether the item must have a list of comments, even if it is empty. */
  hasComments(detail: D): boolean
  /** Adds the ids that an item names, except for links in texts. */
  addIds(thing: Item<D>, found: IdQueues): void
  details(things: readonly Item<D>[]): StreamBatch
  commentBatch(things: readonly Item<D>[]): StreamBatch
  gone(ids: readonly string[]): StreamBatch
  known(ids: readonly { pid: string; id: string; source: string }[]): StreamBatch
}

/** Adds the files attached to comments, and their folders. */
export function addAttachments(comments: readonly ReceivedComment[], found: IdQueues): void {
  for (const { fids, files } of comments) {
    for (const { fid, pid, folder_id } of files) {
      found.add('file', { pid, id: fid, source: 'comment' })
      found.add('file', { pid, id: folder_id ?? '', source: 'folder' })
    }
    const described = new Set(files.map(({ fid }) => fid))
    for (const fid of fids) {
      if (!described.has(fid)) found.add('file', { pid: null, id: fid, source: 'comment' })
    }
  }
}

export function lossesOf<D>(things: readonly Item<D>[]): RecordLoss[] {
  return things.flatMap(({ losses }) => losses)
}

export function commentLossesOf<D>(things: readonly Item<D>[]): RecordLoss[] {
  // ids of comments are unique only within one post or file
  return things.flatMap(({ id, commentLosses }) => {
    return commentLosses.map((loss) => {
      if (loss.kind === 'null_list') return { ...loss, recordKey: id, field: 'comments' }
      return { ...loss, recordKey: `${id} ${loss.recordKey}` }
    })
  })
}
