/** White space other than a single space. Replacing those too would take several times as long: texts consist of them. */
const GAPS = /[^\S ]\s*| \s+/g

/** A text with a space for each run of white space, and none around it. */
export function oneLine(text: string): string {
  return text.replace(GAPS, ' ').trim()
}
