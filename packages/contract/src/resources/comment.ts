import Type from 'typebox'
import { enumeration, id, size, text, timestamp } from '../fields.ts'
import { resource } from '../resource.ts'
import { User } from './user.ts'

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

const common = {
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
  ...common,
  raw_message: text('content in markdown'),
})

/** A comment as operation 8 returns it: without `raw_message`, with `uid` and `client`. */
export const NewComment = resource('NewComment', ['cid'], {
  ...common,
  uid: id('author id'),
  client: Type.Number({ description: 'undocumented' }),
})
