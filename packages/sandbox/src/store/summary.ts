/** Length of a summary, in characters. */
const SUMMARY_LENGTH = 140

/** The summary of a content: its beginning, on one line. */
export function summaryOf(content: string): string {
  return [...content.replace(/\s+/gu, ' ').trim()].slice(0, SUMMARY_LENGTH).join('')
}
