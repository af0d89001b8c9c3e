import { enumeration, id, resource, size, text, timestamp } from '../resource.ts'
import { Type } from '../schema.ts'
import { User } from './project.ts'

const pageFields = {
  page_id: id('document id'),
  parent_id: id('parent document id; empty at the top level'),
  pid: id('project id'),
  name: text('document name'),
  summary: text('document content'),
  created_at: timestamp('creation time'),
  updated_at: timestamp('update time'),
  owner: User,
  watchers: Type.Array(User, { description: 'watchers' }),
}

/** A page as operation 10 lists it: with `content`. */
export const Page = resource('Page', ['page_id'], { ...pageFields, content: text('content in markdown') })

/** A page as operation 9 returns it: without `content`. */
export const NewPage = resource('NewPage', ['page_id'], pageFields)

const postFields = {
  post_id: id('post id'),
  pid: id('project id'),
  name: text('title'),
  summary: text('content'),
  created_at: timestamp('creation time'),
  updated_at: timestamp('update time'),
  owner: User,
}

/** A post as operation 11 returns it: with `content` and `watchers`. */
export const Post = resource('Post', ['post_id'], {
  ...postFields,
  content: text('content in markdown'),
  watchers: Type.Array(User, { description: 'watchers' }),
})

/** A post as operation 14 returns it: without `content` and `watchers`. */
export const NewPost = resource('NewPost', ['post_id'], postFields)

/** A file or a folder. `type` is documented as a string while the sample has a number: both are valid. */
export const File = resource('File', ['fid'], {
  fid: id('file id'),
  name: text('name'),
  desc: text('description'),
  pid: id('project id'),
  size: size('size in bytes'),
  path: text('path'),
  folder_id: id('parent folder id; empty at the top'),
  type: Type.Union([Type.Integer({ minimum: 0, maximum: 32767 }), Type.String({ pattern: '^[0-9]{1,4}$' })], {
    description: 'kind: 0 = file, 1 = folder',
    meaning: 'enum',
  }),
  created_at: timestamp('upload time'),
  updated_at: timestamp('update time'),
  watchers: Type.Array(User, { description: 'watchers' }),
  owner: User,
})

/** A file attached to a comment. */
export const CommentFile = resource('CommentFile', ['fid'], {
  fid: id('file id'),
  name: text('file name'),
  desc: text('file description'),
  pid: id('project id'),
  size: size('file size in bytes'),
  path: text('file path'),
  folder_id: id('containing folder id'),
})

const commentFields = {
  cid: id('comment id'),
  message: text('content'),
  type: enumeration('kind of content', { 1: 'text', 2: 'emotion', 3: 'audio' }),
  format: enumeration('format of the content', { 1: 'text', 2: 'html' }),
  fids: Type.Array(id('file id'), { description: 'ids of attached files' }),
  owner: User,
  files: Type.Array(CommentFile, { description: 'attached files' }),
  created_at: timestamp('comment time'),
}

/** A comment as operations 5 and 6 list it: with `raw_message`. */
export const Comment = resource('Comment', ['cid'], {
  ...commentFields,
  raw_message: text('content in markdown'),
})

/** A comment as operation 8 returns it: without `raw_message`, with `uid` and `client`. */
export const NewComment = resource('NewComment', ['cid'], {
  ...commentFields,
  uid: id('author id'),
  client: Type.Number({ description: 'undocumented' }),
})
