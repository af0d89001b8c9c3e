/** White space other than single spaces. Replacing those too would take several times as long, as texts are full of them. */
const GAPS = /[^\S ]\s*| \s+/g

/** A text on one line: each run of white space becomes one space, and none remains at the ends. */
export function oneLine(text: string): string {
  return text.replace(GAPS, ' ').trim()
}
