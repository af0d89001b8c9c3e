/** How far a summary repeats its content, in characters. */
const SUMMARY_LENGTH = 140

/** Content as its summary shows it: the beginning, on one line. */
export function summaryOf(content: string): string {
  return [...content.replace(/\s+/gu, ' ').trim()].slice(0, SUMMARY_LENGTH).join('')
}
