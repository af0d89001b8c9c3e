import { compareKeys, merged } from '@collab-etl/backups/read'
import type { SourceRow } from './backup-rows.ts'

/**
 * Several runs of rows, each in order of the columns of its key, as one in order. Where more than one has a key, the row of the last
 * run counts, or the one that `merge` makes of them, in the order of their runs.
 */
export async function* mergeRows(
  runs: readonly AsyncIterable<SourceRow>[],
  key: readonly string[],
  merge: (rows: readonly SourceRow[]) => SourceRow | undefined = (rows) => rows.at(-1),
): AsyncGenerator<SourceRow, void, undefined> {
  let equal: SourceRow[] = []
  for await (const row of merged(runs, (a, b) => compareKeys(a, b, key))) {
    const [first] = equal
    if (first !== undefined && compareKeys(first, row, key) !== 0) {
      const chosen = merge(equal)
      if (chosen) yield chosen
      equal = []
    }
    equal.push(row)
  }
  const last = equal.length === 0 ? undefined : merge(equal)
  if (last) yield last
}
