import { oneLine } from '../../one-line.ts'

/** What begins a line of a searched text that is not of the record's main text; `assets/search.js` names them. */
const MARKS = {
  comment: '“',
  checklist: '☑',
  label: '#',
  person: '@',
  place: '⌂',
  path: '/',
  email: '✉',
  about: '¶',
} as const

/** A part of what the search finds in a record. */
export type SearchField = readonly [name: keyof typeof MARKS, text: string | null]

/** What the search finds in a record: its main text on the first line, and each field with its mark on one of its own. */
export function searchedText(main: string, fields: readonly SearchField[]): string {
  const lines = fields.flatMap(([name, text]) => {
    const line = oneLine(text ?? '')
    return line === '' ? [] : [MARKS[name] + line]
  })
  return [oneLine(main), ...lines].join('\n')
}

/** The main text of `searchedText`. */
export function mainText(searched: string): string {
  return searched.split('\n', 1)[0] ?? ''
}
