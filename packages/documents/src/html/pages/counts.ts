import type { SiteCounts } from '../list-rows.ts'
import { html, joined, type Markup } from '../markup.ts'
import { count, counted } from './words.ts'

/** The kinds that are counted, in order: the words, and the file that lists them. */
const KINDS = [
  ['pages', (number: number) => counted(number, 'page'), '#pages'],
  ['posts', (number: number) => counted(number, 'post'), 'posts.html'],
  ['tasks', (number: number) => counted(number, 'task'), 'board.html'],
  ['archived', (number: number) => `${count(number)} archived`, 'archive.html'],
  ['events', (number: number) => counted(number, 'event'), 'events.html'],
  ['files', (number: number) => counted(number, 'file'), 'files.html'],
] as const

/** How many records there are of each kind; `areLinked`: with links to their lists. */
export function countsOf(counts: SiteCounts, areLinked = false): Markup {
  const parts = KINDS.flatMap(([kind, words, address]) => {
    const number = counts[kind]
    if (number === undefined || (kind === 'archived' && number === 0)) return []
    return [
      areLinked ? html`<a href="${address}" data-t>${words(number)}</a>` : html`<span data-t>${words(number)}</span>`,
    ]
  })
  return joined(parts)
}

/** The counts of several projects together. */
export function sumOf(all: readonly SiteCounts[]): SiteCounts {
  const sums = KINDS.flatMap(([kind]) => {
    const counts = all.flatMap((one) => one[kind] ?? [])
    return counts.length === 0 ? [] : [[kind, counts.reduce((total, count) => total + count, 0)] as const]
  })
  return Object.fromEntries(sums)
}
