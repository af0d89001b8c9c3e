import type { File, Received } from '@collab-etl/contract'
import { isAskableId } from '@collab-etl/contract/id'
import { addAttachments, commentLossesOf, type ItemSource, lossesOf } from './item-source.ts'

const FILE_MISSING = 800004

const FOLDER = 1

/** Files and folders, and their comments (docs/service-api.md#operation-7, #operation-6). */
export const fileSource: ItemSource<Received<typeof File>> = {
  kind: 'file',
  stream: 'files',

  missing: FILE_MISSING,

  async readDetail(client, pid, id, options) {
    const { record: detail, losses } = await client.files.get.read({ pid, fid: id }, options)
    return { id: detail.fid, detail, losses }
  },

  comments(client, pid, { id }, { asked, ...options }) {
    return client.files.comments.list.batches({ pid, fid: isAskableId(id) ? id : asked }, options)
  },

  hasComments: ({ type }) => Number(type) !== FOLDER,

  addIds({ detail, comments }, found) {
    found.add('file', { pid: detail.pid, id: detail.folder_id ?? '', source: 'folder' })
    addAttachments(comments, found)
  },

  details: (things) => ({ kind: 'file', records: things.map(({ detail }) => detail), losses: lossesOf(things) }),

  commentBatch: (things) => ({
    kind: 'file_comment',
    records: things.flatMap(({ id, comments }) => comments.map((comment) => ({ fid: id, comment }))),
    losses: commentLossesOf(things),
  }),

  gone: (ids) => ({ kind: 'not_found_file', records: ids.map((fid) => ({ fid })), losses: [] }),

  known: (ids) => ({
    kind: 'known_file',
    records: ids.map(({ pid, id, source }) => ({ pid, fid: id, source })),
    losses: [],
  }),
}
