import type { Post, Received } from '@collab-etl/contract'
import { isAskableId } from '@collab-etl/contract/id'
import { addAttachments, commentLossesOf, type ItemSource, lossesOf } from './item-source.ts'

const POST_MISSING = 900005

/** Posts and their comments (docs/service-api.md#operation-11, #operation-5). */
export const postSource: ItemSource<Received<typeof Post>> = {
  kind: 'post',
  stream: 'posts',

  missing: POST_MISSING,

  async readDetail(client, pid, id, options) {
    const { record: detail, losses } = await client.posts.get.read({ pid, post_id: id }, options)
    return { id: detail.post_id, detail, losses }
  },

  comments(client, pid, { id }, { asked, ...options }) {
    return client.posts.comments.list.batches({ pid, post_id: isAskableId(id) ? id : asked }, options)
  },

  hasComments: () => true,

  addIds: ({ comments }, found) => addAttachments(comments, found),

  details: (things) => ({ kind: 'post', records: things.map(({ detail }) => detail), losses: lossesOf(things) }),

  commentBatch: (things) => ({
    kind: 'post_comment',
    records: things.flatMap(({ id, comments }) => comments.map((comment) => ({ post_id: id, comment }))),
    losses: commentLossesOf(things),
  }),

  gone: (ids) => ({ kind: 'not_found_post', records: ids.map((post_id) => ({ post_id })), losses: [] }),

  known: (ids) => ({
    kind: 'known_post',
    records: ids.map(({ pid, id, source }) => ({ pid, post_id: id, source })),
    losses: [],
  }),
}
