import type { File, Received } from '@collab-etl/contract'
import { isAskableId } from '@collab-etl/contract/id'
import { isApiError } from '../errors/api-error.ts'
import { type Answer, collect } from '../walk/collect.ts'
import { addAttachments, commentLossesOf, type FoundSource, lossesOf, type ReceivedComment } from './found-source.ts'

const FILE_MISSING = 800004

const FOLDER = 1

const NO_COMMENTS: Answer<ReceivedComment> = { records: [], losses: [] }

/** Files and folders, and their comments (API page, operations 7 and 6). */
export const fileSource: FoundSource<Received<typeof File>> = {
  kind: 'file',
  stream: 'files',

  async read(client, pid, id, options) {
    try {
      const { record: detail, losses } = await client.files.get.read({ pid, fid: id }, options)
      const { fid } = detail
      const comments = await collect(
        client.files.comments.list.batches({ pid, fid: isAskableId(fid) ? fid : id }, options),
      ).catch((error) => {
        // A folder need not have comments to be read.
        if (Number(detail.type) === FOLDER && isApiError(error, FILE_MISSING)) return NO_COMMENTS
        throw error
      })
      return { id: fid, detail, losses, comments: comments.records, commentLosses: comments.losses }
    } catch (error) {
      if (isApiError(error, FILE_MISSING)) return null
      throw error
    }
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
