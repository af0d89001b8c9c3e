import type { Comment, Received } from '@collab-etl/contract'
import type { Client } from '../client.ts'
import type { RecordLoss } from '../loss.ts'
import type { CallOptions } from '../operations/results.ts'
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
  return things.flatMap(({ commentLosses }) => commentLosses)
}
