import type { Places } from '../src/tree/places.ts'

/** Places together with the path of each record, in the order of the heads. */
export function withPaths(places: Places): Pick<Places, 'indexes' | 'losses'> & { readonly paths: readonly string[] } {
  const { indexes, losses } = places
  return { indexes, losses, paths: places.heads.map((_, index) => places.pathAt(index)) }
}
