import type { File, Received } from '@collab-etl/contract'
import { isAskableId } from '@collab-etl/contract/id'
import { isApiError } from '../errors/api-error.ts'
import { addAttachments, commentLossesOf, type FoundSource, lossesOf, readComments } from './found-source.ts'

const FILE_MISSING = 800004

const FOLDER = 1

/** Files and folders, and their comments (API page, operations 7 and 6). */
export const fileSource: FoundSource<Received<typeof File>> = {
  kind: 'file',
  stream: 'files',

  async read(client, pid, id, options) {
    const read = await client.files.get.read({ pid, fid: id }, options).catch((error: unknown) => {
      if (isApiError(error, FILE_MISSING)) return null
      throw error
    })
    if (read === null) return null
    const { record: detail, losses } = read
    const { fid } = detail
    const asked = { pid, fid: isAskableId(fid) ? fid : id }
    const comments = await readComments(client.files.comments.list.batches(asked, options), FILE_MISSING)
    // A folder need not have comments to be read.
    const hasComments = comments.hasComments || Number(detail.type) === FOLDER
    return { id: fid, detail, losses, ...comments, hasComments }
  },

  addIds({ detail, comments }, found) {
    found.add('file', { pid: detail.pid, id: detail.folder_id ?? '', source: 'folder' })
    addAttachments(comments, found)
  },

  details: (things) => ({ kind: 'file', records: things.map(({ detail }) => detail), losses: lossesOf(things) }),

  comments: (things) => ({
    kind: 'file_comment',
    records: things.flatMap(({ id, comments }) => comments.map((comment) => ({ fid: id, comment }))),
    losses: commentLossesOf(things),
  }),

  gone: (ids) => ({ kind: 'gone_file', records: ids.map((fid) => ({ fid })), losses: [] }),

  known: (ids) => ({
    kind: 'known_file',
    records: ids.map(({ pid, id, source }) => ({ pid, fid: id, source })),
    losses: [],
  }),
}
