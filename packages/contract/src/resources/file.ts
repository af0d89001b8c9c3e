import Type from 'typebox'
import { id, size, text, timestamp } from '../fields.ts'
import { resource } from '../resource.ts'
import { User } from './user.ts'

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
