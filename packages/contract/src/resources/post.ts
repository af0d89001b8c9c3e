import Type from 'typebox'
import { id, text, timestamp } from '../fields.ts'
import { resource } from '../resource.ts'
import { User } from './user.ts'

const common = {
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
  ...common,
  content: text('content in markdown'),
  watchers: Type.Array(User, { description: 'watchers' }),
})

/** A post as operation 14 returns it: without `content` and `watchers`. */
export const NewPost = resource('NewPost', ['post_id'], common)
