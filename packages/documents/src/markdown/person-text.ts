import type { Person } from '../people.ts'
import { inlineCode, inlineText } from './inline.ts'

/** A person inside a line of Markdown: the name, or without one the id. */
export function personText({ uid, name }: Person): string {
  return inlineText(name ?? '') || inlineCode(uid)
}
