import { withClosedHtml } from './closing-line.ts'

/**
 * A text of the service as a block quote. A quote ends all that a text may leave open (code fences, lists, HTML blocks), and its
 * headings are not those of the file. HTML that stays open is closed, too: for browsers, a Markdown quote does not end it.
 */
export function quoted(text: string): string {
  const lines = withClosedHtml(text).split(/\r\n|\r|\n/)
  while (lines.at(-1)?.trim() === '') lines.pop()
  return lines.map((line) => (line === '' ? '>\n' : `> ${withoutTabs(line)}\n`)).join('')
}

/** A tab is as wide as the next multiple of four columns: behind the mark of the quote, one at the beginning would be narrower. */
function withoutTabs(line: string): string {
  return line.replace(/^[ \t]*\t[ \t]*/, (start) => {
    let columns = 0
    for (const character of start) columns += character === '\t' ? 4 - (columns % 4) : 1
    return ' '.repeat(columns)
  })
}
