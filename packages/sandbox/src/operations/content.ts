import type { PostRecord } from '../store/state.ts'
import { summaryOf } from '../store/views.ts'
import { type Context, found, type Handlers, projectFor, removeFirst, successOf, timestamp } from './handler.ts'

/** Fields that new pages and posts have in common. */
function written<O>({ name, content, time, owner }: { name: string; content: string; time: string; owner: O }) {
  return { name, summary: summaryOf(content), created_at: time, updated_at: time, owner }
}

export const pageHandlers: Handlers<'pages.create' | 'pages.list'> = {
  // An unknown parent is answered with "creating … failed".
  'pages.create': (context, { pid, name, content = '', parent_id = '' }) => {
    const { pages } = projectFor(context, pid, 'change')
    if (parent_id !== '') {
      found(
        pages.find((page) => page.page_id === parent_id),
        'failed',
      )
    }
    const time = timestamp(context)
    return context.store.change(pid, (project, owner) => {
      const bare = {
        page_id: context.store.newId(),
        parent_id,
        pid,
        ...written({ name, content, time, owner }),
        watchers: [owner],
      }
      project.pages.push({ ...bare, content })
      return bare
    })
  },

  'pages.list': (context, { pid }) => {
    projectFor(context, pid, 'read')
    return context.store.list(pid, 'pages')
  },
}

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
        ...written({ name, content, time, owner }),
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

const FILE_MISSING = 800004

export const fileHandlers: Handlers<'files.comments.list' | 'files.get'> = {
  'files.comments.list': (context, { pid, fid }) => fileOf(context, pid, fid).comments,

  // `type` is documented as a string, but sent as a number in the sample; here it is a number.
  'files.get': (context, { pid, fid }) => fileOf(context, pid, fid).file,
}

function fileOf(context: Context, pid: string, fid: string) {
  const { files } = projectFor(context, pid, 'read')
  return found(
    files.find(({ file }) => file.fid === fid),
    FILE_MISSING,
  )
}
