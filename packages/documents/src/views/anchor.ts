/** Characters of an id that stay in an anchor: all programs find them without decoding. */
const ENCODED = /[^A-Za-z0-9._-]/gu

/** The anchor of a record within a file that holds several, such as `task-t1`. Two ids never have the same one. */
export function anchorOf(kind: 'task' | 'file', id: string): string {
  const safe = id.replace(ENCODED, (character) => `~${(character.codePointAt(0) ?? 0).toString(16)}~`)
  return `${kind}-${safe}`
}
