import type { Post, Received } from '@collab-etl/contract'
import { isAskableId } from '@collab-etl/contract/id'
import { isApiError } from '../errors/api-error.ts'
import { addAttachments, commentLossesOf, type FoundSource, lossesOf, readComments } from './found-source.ts'

const POST_MISSING = 900005

/** Posts and their comments (API page, operations 11 and 5). */
export const postSource: FoundSource<Received<typeof Post>> = {
  kind: 'post',
  stream: 'posts',

  async read(client, pid, id, options) {
    const read = await client.posts.get.read({ pid, post_id: id }, options).catch((error: unknown) => {
      if (isApiError(error, POST_MISSING)) return null
      throw error
    })
    if (read === null) return null
    const { record: detail, losses } = read
    const { post_id } = detail
    const asked = { pid, post_id: isAskableId(post_id) ? post_id : id }
    const comments = await readComments(client.posts.comments.list.batches(asked, options), POST_MISSING)
    return { id: post_id, detail, losses, ...comments }
  },

  addIds: ({ comments }, found) => addAttachments(comments, found),

  details: (things) => ({ kind: 'post', records: things.map(({ detail }) => detail), losses: lossesOf(things) }),

  comments: (things) => ({
    kind: 'post_comment',
    records: things.flatMap(({ id, comments }) => comments.map((comment) => ({ post_id: id, comment }))),
    losses: commentLossesOf(things),
  }),

  gone: (ids) => ({ kind: 'gone_post', records: ids.map((post_id) => ({ post_id })), losses: [] }),

  known: (ids) => ({
    kind: 'known_post',
    records: ids.map(({ pid, id, source }) => ({ pid, post_id: id, source })),
    losses: [],
  }),
}
