import { hash } from 'node:crypto'
import { isShortId, shortenedId } from '@collab-etl/contract/id'
import type { IssueKind } from '@collab-etl/contract/streams'

/** Whether Postgres can store it: no U+0000, no lone surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The text with every character that cannot be stored replaced by U+FFFD, and what kinds of them there were. */
export function storable(text: string): { text: string; lost: IssueKind[] } {
  const lost: IssueKind[] = []
  if (text.includes('\0')) lost.push('nul_character')
  if (!text.isWellFormed()) lost.push('lone_surrogate')
  return { text: lost.length === 0 ? text : text.toWellFormed().replaceAll('\0', '\uFFFD'), lost }
}

/** An id as it is stored: a part of a key, which an index has to hold. One of more than 512 bytes is shortened. */
export function storableId(id: string): { text: string; lost: IssueKind[] } {
  const { text, lost } = storable(id)
  if (isShortId(text)) return { text, lost }
  // as JSON, lone surrogates differ from each other
  return { text: shortenedId(text, hash('sha256', JSON.stringify(id), 'hex')), lost: [...lost, 'too_long'] }
}

export function storedId(id: string): string {
  return storableId(id).text
}
