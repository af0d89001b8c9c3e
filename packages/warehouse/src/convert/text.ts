import type { LossKind } from '@collab-etl/core'

/** Whether Postgres can store it: no U+0000, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The text with every character that cannot be stored replaced by U+FFFD, and what kinds of them there were. */
export function storable(text: string): { text: string; lost: LossKind[] } {
  const lost: LossKind[] = []
  if (text.includes('\0')) lost.push('nul_character')
  if (!text.isWellFormed()) lost.push('lone_surrogate')
  return { text: lost.length === 0 ? text : text.toWellFormed().replaceAll('\0', '\uFFFD'), lost }
}
