import type { Post, Received } from '@collab-etl/contract'
import { isAskableId } from '@collab-etl/contract/id'
import { isApiError } from '../errors/api-error.ts'
import { collect } from '../walk/collect.ts'
import { addAttachments, commentLossesOf, type FoundSource, lossesOf } from './found-source.ts'

const POST_MISSING = 900005

/** Posts and their comments (API page, operations 11 and 5). */
export const postSource: FoundSource<Received<typeof Post>> = {
  kind: 'post',
  stream: 'posts',

  async read(client, pid, id, options) {
    try {
      const { record: detail, losses } = await client.posts.get.read({ pid, post_id: id }, options)
      const { post_id } = detail
      const comments = await collect(
        client.posts.comments.list.batches({ pid, post_id: isAskableId(post_id) ? post_id : id }, options),
      )
      return { id: post_id, detail, losses, comments: comments.records, commentLosses: comments.losses }
    } catch (error) {
      // Deleted between the two requests, it is gone as well.
      if (isApiError(error, POST_MISSING)) return null
      throw error
    }
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
