import { text } from '../fields.ts'
import { resource } from '../resource.ts'

/** A label of a task or of a project. */
export const Label = resource('Label', ['name'], {
  name: text('label name (a colour word)'),
  desc: text('label description'),
})
