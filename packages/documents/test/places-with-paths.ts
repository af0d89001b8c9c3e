import type { Places } from '../src/tree/places.ts'

/** Places together with the path of each record, in the order of the heads. */
export function withPaths(places: Places): Pick<Places, 'issues'> & {
  readonly indexes: ReadonlyMap<string, number>
  readonly paths: readonly string[]
} {
  const all = Array.from({ length: places.count }, (_, index) => index)
  const indexes = new Map(all.map((index) => [places.idAt(index), index]))
  return { indexes, issues: places.issues, paths: all.map((index) => places.pathAt(index)) }
}
