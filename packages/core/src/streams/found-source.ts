import type { Comment, Received } from '@collab-etl/contract'
import type { Client } from '../client.ts'
import { isApiError } from '../errors/api-error.ts'
import type { RecordLoss } from '../loss.ts'
import type { CallOptions, RecordBatch } from '../operations/results.ts'
import { collect } from '../walk/collect.ts'
import type { StreamBatch } from './batch.ts'
import type { FoundIds, FoundKind } from './found-ids.ts'
import type { StreamName } from './scope.ts'

export type ReceivedComment = Received<typeof Comment>

/** A post or a file with its comments. */
export interface FoundThing<D> {
  /** As the service names it. */
  readonly id: string
  readonly detail: D
  readonly comments: readonly ReceivedComment[]
  /** Whether its comments were read; the service may say that they do not exist, though the thing does. */
  readonly hasComments: boolean
  readonly losses: readonly RecordLoss[]
  readonly commentLosses: readonly RecordLoss[]
}

/** What is known of one kind of things that are found: how they are read, what they lead to, how they are handed on. */
export interface FoundSource<D> {
  readonly kind: FoundKind
  readonly stream: StreamName
  /** `null` when the service answers that it does not exist. */
  read(client: Client, pid: string, id: string, options: CallOptions): Promise<FoundThing<D> | null>
  /** Notes the ids that a thing names, links in texts aside. */
  addIds(thing: FoundThing<D>, found: FoundIds): void
  details(things: readonly FoundThing<D>[]): StreamBatch
  comments(things: readonly FoundThing<D>[]): StreamBatch
  gone(ids: readonly string[]): StreamBatch
  known(ids: readonly { pid: string; id: string; source: string }[]): StreamBatch
}

/** A thing's detail was read: that it does not exist any more is proven by the next detail, not by its comments. */
export async function readComments(
  batches: AsyncIterable<RecordBatch<ReceivedComment>>,
  missing: number,
): Promise<Pick<FoundThing<unknown>, 'comments' | 'commentLosses' | 'hasComments'>> {
  try {
    const { records, losses } = await collect(batches)
    return { comments: records, commentLosses: losses, hasComments: true }
  } catch (error) {
    if (!isApiError(error, missing)) throw error
    return { comments: [], commentLosses: [], hasComments: false }
  }
}

/** Notes the files attached to comments, and the folders that hold them. */
export function addAttachments(comments: readonly ReceivedComment[], found: FoundIds): void {
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

export function lossesOf<D>(things: readonly FoundThing<D>[]): RecordLoss[] {
  return things.flatMap(({ losses }) => losses)
}

export function commentLossesOf<D>(things: readonly FoundThing<D>[]): RecordLoss[] {
  // ids of comments are unique within one post or file, not beyond it
  return things.flatMap(({ id, commentLosses }) => {
    return commentLosses.map((loss) => ({ ...loss, recordKey: `${id} ${loss.recordKey}` }))
  })
}
