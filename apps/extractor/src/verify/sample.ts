import { randomInt } from 'node:crypto'

/**
 * A share of the items, at least one, in their order. Each time others are chosen, all with the same chance, so that every
 * one has its turn sooner or later.
 */
export function sampleOf<T>(items: readonly T[], share: number): T[] {
  const wanted = Math.min(items.length, Math.max(1, Math.round(items.length * share)))
  const places = items.map((_, index) => index)
  for (let at = 0; at < wanted; at++) {
    const other = randomInt(at, places.length)
    const [a, b] = [places[at], places[other]]
    if (a === undefined || b === undefined) break
    places[at] = b
    places[other] = a
  }
  const chosen = new Set(places.slice(0, wanted))
  return items.filter((_, index) => chosen.has(index))
}
