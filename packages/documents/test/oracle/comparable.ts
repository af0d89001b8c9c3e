import type { TextLinks } from '../../src/markdown/read-links.ts'

/** Labels that hold what is no text to a wiki link: one reader reports them as written, the other not at all. */
const MARKUP = /[[\]|<>`\\*~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u

/** The links of a text in a form that two readers of Markdown agree on. */
export function comparable({ destinations, wholes }: TextLinks) {
  return {
    destinations: destinations.map(({ start, end, url, form }) => ({ start, end, url, form })),
    wholes: wholes
      .map(({ start, end, url, label, inTable }) => ({ start, end, url, inTable, label: comparableLabel(label) }))
      .sort((a, b) => a.start - b.start),
  }
}

function comparableLabel(label: string | null | undefined): string | null {
  return label === null || label === undefined || MARKUP.test(label) ? null : label.trim().toWellFormed()
}
