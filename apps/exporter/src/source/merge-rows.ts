import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { SourceRow } from './backup-source.ts'

interface Head {
  readonly rows: AsyncIterator<SourceRow>
  row: SourceRow
  key: string
}

/**
 * Several runs of rows, each in order of its key, as one in order. Where more than one has a key, the row of the last
 * run counts, or the one that `merge` makes of them, in the order of their runs.
 */
export async function* mergeRows(
  runs: readonly AsyncIterable<SourceRow>[],
  keyOf: (row: SourceRow) => string,
  merge: (rows: readonly SourceRow[]) => SourceRow | undefined = (rows) => rows.at(-1),
): AsyncGenerator<SourceRow, void, undefined> {
  const [only] = runs
  if (only && runs.length === 1) {
    yield* only
    return
  }
  const iterators = runs.map((run) => run[Symbol.asyncIterator]())
  try {
    let heads: Head[] = []
    for (const rows of iterators) {
      const { done, value } = await rows.next()
      if (!done) heads.push({ rows, row: value, key: keyOf(value) })
    }
    while (heads.length > 0) {
      const smallest = heads.reduce(
        (least, head) => (compareBytes(head.key, least) < 0 ? head.key : least),
        firstKey(heads),
      )
      const equal = heads.filter((head) => head.key === smallest)
      const chosen = merge(equal.map(({ row }) => row))
      if (chosen) yield chosen
      for (const head of equal) {
        const { done, value } = await head.rows.next()
        if (done) heads = heads.filter((other) => other !== head)
        else Object.assign(head, { row: value, key: keyOf(value) })
      }
    }
  } finally {
    for (const iterator of iterators) await iterator.return?.()
  }
}

function firstKey(heads: readonly Head[]): string {
  return heads[0]?.key ?? ''
}
