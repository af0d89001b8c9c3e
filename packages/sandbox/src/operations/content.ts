import type { PostRecord, ProjectState } from '../store/state.ts'
import { summaryOf } from '../store/views.ts'
import { newComment, watching } from './changes.ts'
import {
  type Context,
  existing,
  found,
  type Handlers,
  projectFor,
  removeFirst,
  successOf,
  timestamp,
} from './handler.ts'

/** Fields that new pages and posts have in common. */
function written<O>({ name, content, time, owner }: { name: string; content: string; time: string; owner: O }) {
  return { name, summary: summaryOf(content), created_at: time, updated_at: time, owner }
}

export const pageHandlers: Handlers<'pages.create' | 'pages.list' | 'pages.get'> = {
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

  'pages.get': (context, { pid, page_id }) =>
    existing(projectFor(context, pid, 'read').pages.find((page) => page.page_id === page_id)),
}

const POST_MISSING = 900005

export const postHandlers: Handlers<
  | 'posts.list'
  | 'posts.get'
  | 'posts.create'
  | 'posts.update'
  | 'posts.delete'
  | 'posts.watch'
  | 'posts.unwatch'
  | 'posts.comments.list'
  | 'posts.comments.create'
  | 'posts.comments.delete'
> = {
  'posts.list': (context, { pid }) => projectFor(context, pid, 'read').posts.map(({ post }) => post),

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
      // clients of a service that lists posts have seen the content in this answer
      return context.extended.has('posts') ? { ...bare, content } : bare
    })
  },

  'posts.update': (context, { pid, post_id, name, content = '' }) =>
    updatePost(context, pid, post_id, (post) => {
      Object.assign(post, { name, content, summary: summaryOf(content) })
    }),

  'posts.delete': (context, { pid, post_id }) =>
    updatePost(context, pid, post_id, (_post, project) => {
      project.posts = project.posts.filter(({ post }) => post.post_id !== post_id)
    }),

  'posts.watch': (context, { pid, post_id, uids }) =>
    updatePost(context, pid, post_id, (post, project) => {
      post.watchers = watching(post.watchers, project, uids)
    }),

  'posts.unwatch': (context, { pid, post_id, uid }) =>
    updatePost(context, pid, post_id, (post) => {
      post.watchers = post.watchers.filter((user) => user.uid !== uid)
    }),

  // Attaching an unknown file fails, as for a task.
  'posts.comments.create': (context, { pid, post_id, message, fids = [] }) => {
    postOf(context, pid, post_id)
    projectFor(context, pid, 'comment')
    return context.store.change(pid, (project, owner) => {
      const { comment, answer } = newComment(context, project, { message, fids, owner })
      heldPost(project, post_id).comments.push(comment)
      return answer
    })
  },

  'posts.comments.delete': (context, { pid, post_id, cid }) => {
    postOf(context, pid, post_id)
    projectFor(context, pid, 'change')
    return context.store.change(pid, (project) => {
      const { comments } = heldPost(project, post_id)
      removeFirst(comments, (comment) => comment.cid === cid, 'failed')
      return successOf(context, true)
    })
  },
}

function postOf(context: Context, pid: string, postId: string) {
  return heldPost(projectFor(context, pid, 'read'), postId)
}

function heldPost<P extends { readonly post: { readonly post_id: string } }>(
  { posts }: { readonly posts: readonly P[] },
  postId: string,
): P {
  return found(
    posts.find(({ post }) => post.post_id === postId),
    POST_MISSING,
  )
}

function updatePost(
  context: Context,
  pid: string,
  postId: string,
  edit: (post: PostRecord, project: ProjectState) => void,
): { success: true } {
  projectFor(context, pid, 'change')
  return context.store.change(pid, (project) => {
    const { post } = heldPost(project, postId)
    edit(post, project)
    post.updated_at = timestamp(context)
    return { success: true }
  })
}

const FILE_MISSING = 800004

export const fileHandlers: Handlers<'files.list' | 'files.comments.list' | 'files.get'> = {
  // A folder that does not exist is empty.
  'files.list': (context, { pid, folder_id = '' }) => {
    const files = projectFor(context, pid, 'read').files.map(({ file }) => file)
    const folder = files.find(({ fid }) => fid === folder_id)
    const named = folder === undefined ? {} : { folder_name: folder.name }
    return files.filter((file) => file.folder_id === folder_id).map((file) => ({ ...file, ...named }))
  },

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
