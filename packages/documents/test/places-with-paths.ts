import type { Places } from '../src/tree/places.ts'

/** Places together with the path of each record, in the order of the heads. */
export function withPaths(places: Places): Pick<Places, 'indexes' | 'issues'> & { readonly paths: readonly string[] } {
  const { indexes, issues } = places
  return { indexes, issues, paths: places.heads.map((_, index) => places.pathAt(index)) }
}
