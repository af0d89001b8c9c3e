import type { SiteCounts } from '../list-rows.ts'
import { html, joined, type Markup } from '../markup.ts'
import { counted } from './words.ts'

/** The kinds that are counted, in order: the word, and the file that lists them. */
const KINDS = [
  ['pages', 'page', '#pages'],
  ['posts', 'post', 'posts.html'],
  ['tasks', 'task', 'board.html'],
  ['events', 'event', 'events.html'],
  ['files', 'file', 'files.html'],
] as const

/** How many records there are of each kind; `areLinked`: with links to their lists. */
export function countsOf(counts: SiteCounts, areLinked = false): Markup {
  const parts = KINDS.flatMap(([kind, word, address]) => {
    const count = counts[kind]
    if (count === undefined) return []
    const text = counted(count, word)
    return [areLinked ? html`<a href="${address}">${text}</a>` : html`<span>${text}</span>`]
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
