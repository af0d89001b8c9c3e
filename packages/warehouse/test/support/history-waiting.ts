import type { StreamBatch, StreamName } from '@collab-etl/contract/streams'
import type { Table, TableName } from '../../src/tables/table.ts'
import type { PlainRow } from './history-rows.ts'
import type { Publication } from './history-script.ts'
import type { StreamInput } from './snapshot.ts'

/** Rows that suspicious lists lack, by scope and table, and the number of the run that missed each first. */
export class ModelWaiting {
  readonly #since = new Map<string, Map<string, number>>()
  #run = 0

  /**
   * Takes the keys of the live rows that a list lacks. Gives how many wait; `null` if one was in every list before this run.
   * @param accepts whether those that wait may be marked deleted
   */
  judge(pid: string | null, stream: StreamName, lacking: readonly string[], accepts: boolean): number | null {
    const known = this.#of(pid, stream)
    const fresh = lacking.filter((key) => (known.get(key) ?? this.#run) === this.#run)
    if (fresh.length === 0) return accepts ? 0 : lacking.length
    for (const key of fresh) known.set(key, this.#run)
    return null
  }

  /** What waits in a scope that cannot be judged. */
  count(pid: string | null, stream: StreamName): number {
    return [...this.#of(pid, stream).values()].filter((run) => run !== this.#run).length
  }

  /** Forgets the keys that are no longer lacking. */
  settle(pid: string | null, table: TableName, stream: StreamName, isLacking: (key: string) => boolean): void {
    // posts and files wait for nothing: their comments do
    if (table === 'posts' || table === 'files') return
    const known = this.#of(pid, stream)
    for (const key of [...known.keys()]) if (!isLacking(key)) known.delete(key)
  }

  leave(gone: ReadonlySet<string>): void {
    for (const place of [...this.#since.keys()]) if (gone.has(place.split(' ')[1] ?? '')) this.#since.delete(place)
  }

  end(): void {
    this.#run += 1
  }

  #of(pid: string | null, stream: StreamName): Map<string, number> {
    const place = `${stream} ${pid ?? ''}`
    const known = this.#since.get(place) ?? new Map<string, number>()
    this.#since.set(place, known)
    return known
  }
}

/** Whether all rows of a stream's list are in doubt, not only comments of some posts or events of some time. */
export function isOfWholeList({ suspicious }: StreamInput = {}): boolean {
  return suspicious !== undefined && suspicious.parents === undefined && suspicious.ranges === undefined
}

/** Whether a live row may exist although a suspicious list lacks it. */
export function isInDoubt({ parent }: Table, row: PlainRow, input: StreamInput = {}): boolean {
  const { ranges = [], parents } = input.suspicious ?? {}
  if (isOfWholeList(input)) return true
  if (parents !== undefined) return parents.some(({ id }) => id === row[parent?.on[0] ?? ''])
  const [starts, ends] = [row['starts_at'], row['ends_at'] ?? row['starts_at']].map((time) => Date.parse(String(time)))
  return ranges.some(({ from, to }) => Number(starts) <= to.getTime() && Number(ends) >= from.getTime())
}

/** The parents whose rows are unsure, with those whose list of comments is in doubt. */
export function withInDoubt(
  { name }: Table,
  streams: Publication['streams'],
  held: ReadonlySet<StreamName>,
  unsure: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  const stream = name === 'post_comments' ? 'posts' : name === 'file_comments' ? 'files' : undefined
  if (stream === undefined || !held.has(stream)) return unsure
  return new Set([...(unsure ?? []), ...(streams[stream]?.suspicious?.parents ?? []).map(({ id }) => id)])
}

/** A list without its last record. Posts and files, which are no lists, are without the last comment. */
export function cutShort(batches: readonly StreamBatch[] = []): StreamBatch[] {
  return batches.map((of, index) => {
    const isComments = of.kind === 'post_comment' || of.kind === 'file_comment'
    if (!isComments && (index > 0 || of.kind === 'post' || of.kind === 'file')) return of
    const records = of.records.slice(0, -1)
    const text = JSON.stringify(records)
    const losses = of.losses.filter(({ recordKey }) => recordKey.split(' ').every((id) => text.includes(`"${id}"`)))
    return { ...of, records, losses } as StreamBatch // of the same kind
  })
}
