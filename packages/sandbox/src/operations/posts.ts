import type { PostRecord } from '../store/state.ts'
import { summaryOf } from '../store/summary.ts'
import { type Context, found, type Handlers, projectFor, removeFirst, successOf, timestamp } from './handler.ts'

const POST_MISSING = 900005

export const postHandlers: Handlers<'posts.comments.list' | 'posts.get' | 'posts.create' | 'posts.comments.delete'> = {
  'posts.comments.list': (context, { pid, post_id }) => postOf(context, pid, post_id).comments,

  'posts.get': (context, { pid, post_id }) => postOf(context, pid, post_id).post,

  'posts.create': (context, { pid, name, content = '' }) => {
    projectFor(context, pid, 'change')
    const time = timestamp(context)
    return context.store.change(pid, (project, owner) => {
      const bare = {
        post_id: context.store.newId(),
        pid,
        name,
        summary: summaryOf(content),
        created_at: time,
        updated_at: time,
        owner,
      }
      const post: PostRecord = { ...bare, content, watchers: [owner] }
      project.posts.push({ post, comments: [] })
      return bare
    })
  },

  'posts.comments.delete': (context, { pid, post_id, cid }) => {
    postOf(context, pid, post_id)
    projectFor(context, pid, 'change')
    return context.store.change(pid, ({ posts }) => {
      const { comments } = found(
        posts.find(({ post }) => post.post_id === post_id),
        POST_MISSING,
      )
      removeFirst(comments, (comment) => comment.cid === cid, 'failed')
      return successOf(context, true)
    })
  },
}

function postOf(context: Context, pid: string, postId: string) {
  const { posts } = projectFor(context, pid, 'read')
  return found(
    posts.find(({ post }) => post.post_id === postId),
    POST_MISSING,
  )
}
