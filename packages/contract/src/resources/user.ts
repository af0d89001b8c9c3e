import { enumeration, id, text } from '../fields.ts'
import { resource } from '../resource.ts'

/** A user. */
export const User = resource('User', ['uid'], {
  uid: id('user id'),
  name: text('user name'),
  display_name: text('nickname'),
  avatar: text('avatar file name'),
  desc: text('user description'),
  status: enumeration('state of the account', { 1: 'normal', 2: 'invited', 3: 'needs e-mail confirmation' }),
  online: enumeration('presence', { 0: 'offline', 1: 'online', 2: 'busy', 3: 'away' }),
})
