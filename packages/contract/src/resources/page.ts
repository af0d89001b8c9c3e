import Type from 'typebox'
import { id, text, timestamp } from '../fields.ts'
import { resource } from '../resource.ts'
import { User } from './user.ts'

const common = {
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
export const Page = resource('Page', ['page_id'], { ...common, content: text('content in markdown') })

/** A page as operation 9 returns it: without `content`. */
export const NewPage = resource('NewPage', ['page_id'], common)
