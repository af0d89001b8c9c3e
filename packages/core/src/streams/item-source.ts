import type { Comment, Received } from '@collab-etl/contract'
import type { RecordLoss, StreamBatch, StreamName } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import type { CallOptions, RecordBatch } from '../operations/results.ts'
import type { DiscoveredKind, IdQueues } from './id-queues.ts'

export type ReceivedComment = Received<typeof Comment>

/** A post or a file without its comments. */
export interface ItemDetail<D> {
  /** As the service names it. */
  readonly id: string
  readonly detail: D
  readonly losses: readonly RecordLoss[]
}

/** A post or a file with its comments. */
export interface Item<D> extends ItemDetail<D> {
  readonly comments: readonly ReceivedComment[]
  readonly commentLosses: readonly RecordLoss[]
}

/** What is known of one kind of things that are found: how they are read, what they lead to, how they are handed on. */
export interface ItemSource<D> {
  readonly kind: DiscoveredKind
  readonly stream: StreamName
  /** The service's code for a thing that does not exist. */
  readonly missing: number
  /** Throws the service's error `missing` when the thing does not exist. */
  readDetail(client: Client, pid: string, id: string, options: CallOptions): Promise<ItemDetail<D>>
  /** @param asked the id that the detail was requested by */
  comments(
    client: Client,
    pid: string,
    thing: ItemDetail<D>,
    options: CallOptions & { readonly asked: string },
  ): AsyncIterable<RecordBatch<ReceivedComment>>
  /** Whether the thing must have a list of comments, though it may be empty. */
  hasComments(detail: D): boolean
  /** Notes the ids that a thing names, links in texts aside. */
  addIds(thing: Item<D>, found: IdQueues): void
  details(things: readonly Item<D>[]): StreamBatch
  commentBatch(things: readonly Item<D>[]): StreamBatch
  gone(ids: readonly string[]): StreamBatch
  known(ids: readonly { pid: string; id: string; source: string }[]): StreamBatch
}

/** Notes the files attached to comments, and the folders that hold them. */
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
  // ids of comments are unique within one post or file, not beyond it
  return things.flatMap(({ id, commentLosses }) => {
    return commentLosses.map((loss) => {
      if (loss.kind === 'null_list') return { ...loss, recordKey: id, field: 'comments' }
      return { ...loss, recordKey: `${id} ${loss.recordKey}` }
    })
  })
}
