import type { Comment, File, Post, Received } from '@collab-etl/contract'
import type { ConversionIssue, StreamBatch, StreamName } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import type { CallOptions, ObjectAnswer, RecordBatch } from '../operations/results.ts'
import type { DiscoveredKind, IdQueues } from './id-queues.ts'

type ReceivedComment = Received<typeof Comment>

/** A post or a file without its comments. */
export interface ItemDetail<D> {
  /** The id that the service returned. */
  readonly id: string
  readonly detail: D
  readonly losses: readonly ConversionIssue[]
}

/** A post or a file with its comments. */
export interface Item<D> extends ItemDetail<D> {
  readonly comments: readonly ReceivedComment[]
  readonly commentLosses: readonly ConversionIssue[]
}

/** How items of one kind are read, which ids they name, and how they are emitted. */
export interface ItemSource<D> {
  readonly kind: DiscoveredKind
  readonly stream: StreamName
  /** @throws an error that `isNotFound` if the item does not exist */
  get(client: Client, pid: string, id: string, options: CallOptions): Promise<ObjectAnswer<D>>
  idOf(detail: D): string
  comments(client: Client, pid: string, id: string, options: CallOptions): AsyncIterable<RecordBatch<ReceivedComment>>
  /** Whether the item must have a list of comments, even if it is empty. */
  hasComments(detail: D): boolean
  /** Adds the ids that the item names, except those in links of its texts. */
  addIds?(detail: D, found: IdQueues): void
  details(records: D[], losses: ConversionIssue[]): StreamBatch
  commentBatch(comments: { id: string; comment: ReceivedComment }[], losses: ConversionIssue[]): StreamBatch
  gone(ids: readonly string[]): StreamBatch
  known(ids: readonly { pid: string; id: string; source: string }[], losses: ConversionIssue[]): StreamBatch
}

/** Posts and their comments (docs/dev/service-api.md#operation-11, #operation-5). */
export const postSource: ItemSource<Received<typeof Post>> = {
  kind: 'post',
  stream: 'posts',
  get: (client, pid, id, options) => client.posts.get.read({ pid, post_id: id }, options),
  idOf: ({ post_id }) => post_id,
  comments: (client, pid, id, options) => client.posts.comments.list.batches({ pid, post_id: id }, options),
  hasComments: () => true,
  details: (records, losses) => ({ kind: 'post', records, losses }),
  commentBatch: (comments, losses) => {
    return { kind: 'post_comment', records: comments.map(({ id, comment }) => ({ post_id: id, comment })), losses }
  },
  gone: (ids) => ({ kind: 'not_found_post', records: ids.map((post_id) => ({ post_id })), losses: [] }),
  known: (ids, losses) => {
    return { kind: 'known_post', records: ids.map(({ pid, id, source }) => ({ pid, post_id: id, source })), losses }
  },
}

const FOLDER = 1

/** Files and folders, and their comments (docs/dev/service-api.md#operation-7, #operation-6). */
export const fileSource: ItemSource<Received<typeof File>> = {
  kind: 'file',
  stream: 'files',
  get: (client, pid, id, options) => client.files.get.read({ pid, fid: id }, options),
  idOf: ({ fid }) => fid,
  comments: (client, pid, id, options) => client.files.comments.list.batches({ pid, fid: id }, options),
  hasComments: ({ type }) => Number(type) !== FOLDER,
  addIds: ({ pid, folder_id }, found) => found.of('file')?.add({ pid, id: folder_id ?? '', source: 'folder' }),
  details: (records, losses) => ({ kind: 'file', records, losses }),
  commentBatch: (comments, losses) => {
    return { kind: 'file_comment', records: comments.map(({ id, comment }) => ({ fid: id, comment })), losses }
  },
  gone: (ids) => ({ kind: 'not_found_file', records: ids.map((fid) => ({ fid })), losses: [] }),
  known: (ids, losses) => {
    return { kind: 'known_file', records: ids.map(({ pid, id, source }) => ({ pid, fid: id, source })), losses }
  },
}

type AttachedFile = Pick<ReceivedComment['files'][number], 'fid' | 'folder_id'> & { readonly pid: string | null }

/** The files attached to a comment or a task: some as objects, others as ids only. */
export interface Attachments {
  readonly files: readonly AttachedFile[]
  readonly fids: readonly string[]
}

/** Adds the files attached to records, and their folders. @param source where the fields are: `comment`, or `attachment` for tasks */
export function addAttachments(
  records: readonly Attachments[],
  found: IdQueues,
  source: 'comment' | 'attachment' = 'comment',
): void {
  const ids = found.of('file')
  for (const { fids, files } of records) {
    for (const { fid, pid, folder_id } of files) {
      ids?.add({ pid, id: fid, source })
      ids?.add({ pid, id: folder_id ?? '', source: 'folder' })
    }
    const described = new Set(files.map(({ fid }) => fid))
    for (const fid of fids) {
      if (!described.has(fid)) ids?.add({ pid: null, id: fid, source })
    }
  }
}

/** The attachments of a task, which real services send in two undocumented fields; `null`: none. */
export function attachmentsOfTask({
  extra,
}: {
  readonly extra?: Readonly<Record<string, unknown>> | null | undefined
}): Attachments | null {
  if (extra == null) return null
  const files = listOf(extra['files']).flatMap((file) => {
    const { fid, pid, folder_id } = (typeof file === 'object' && file !== null ? file : {}) as Record<string, unknown> // any JSON
    return typeof fid === 'string' ? [{ fid, pid: textOf(pid), folder_id: textOf(folder_id) }] : []
  })
  const fids = listOf(extra['fids']).filter((fid) => typeof fid === 'string')
  return files.length + fids.length === 0 ? null : { files, fids }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

export function batchesOf<D>(
  source: ItemSource<D>,
  items: readonly Item<D>[],
): [details: StreamBatch, comments: StreamBatch] {
  const comments = items.flatMap(({ id, comments }) => comments.map((comment) => ({ id, comment })))
  const commentLosses = items.flatMap(({ id, commentLosses }) => lossesOfComments(id, commentLosses))
  const details = items.map(({ detail }) => detail)
  const losses = items.flatMap(({ losses }) => losses)
  return [source.details(details, losses), source.commentBatch(comments, commentLosses)]
}

/** Losses of a list of comments, each with the key of its row: ids of comments are unique only within what they belong to. */
export function lossesOfComments(id: string, losses: readonly ConversionIssue[]): ConversionIssue[] {
  return losses.map((loss) =>
    loss.kind === 'null_list'
      ? { ...loss, recordKey: id, field: 'comments' }
      : { ...loss, recordKey: `${id} ${loss.recordKey}` },
  )
}
