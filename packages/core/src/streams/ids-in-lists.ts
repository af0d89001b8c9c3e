import type { RecordKinds, StreamBatch } from '@collab-etl/contract/streams'
import type { FirstRecords } from '../capabilities/try-records.ts'
import { type Unchanged, withLinks } from '../read/unchanged.ts'
import { textsOf } from './batch-records.ts'
import type { IdQueues } from './id-queues.ts'
import { type Attachments, addAttachments, attachmentsOfTask } from './item-sources.ts'
import { type LinkPattern, mayHoldLinks } from './links.ts'
import type { ResolvedOptions } from './read-options.ts'

/** A record of a kind, or the placeholder of one that was not parsed. */
export type MaybeUnchanged<K extends keyof RecordKinds> = RecordKinds[K] | Unchanged<RecordKinds[K]>

type ListedBatch = Extract<StreamBatch, { kind: 'task' | 'archived_task' | 'page' | 'event' }>

/** Where ids and times of lists are collected. */
interface Noted {
  readonly found: IdQueues
  readonly busy: BusyTimes
  readonly firstRecords: FirstRecords
  readonly options: Pick<ResolvedOptions, 'linkPatterns'>
}

/**
 * Queues the posts and files that a batch names in texts and attachments. Returns the batch; records that name any are marked in
 * `received`.
 * @param batch its unchanged records are instances of `Unchanged`
 */
export function noteIds({ found, busy, firstRecords, options }: Noted, batch: ListedBatch): StreamBatch {
  const received = [...(batch.received ?? [])]
  const texts = textsOf(batch)
  let isNaming = false
  // loops without iterators: most records name nothing, and what is allocated for each counts
  for (let index = 0; index < batch.records.length; index++) {
    const [record, bytes] = [batch.records[index], received[index]]
    if (record === undefined) continue
    if (!holdsLinks(texts[index] ?? [], options.linkPatterns) && attachmentsOf(batch, record) === null) continue
    isNaming = true
    if (bytes !== undefined) received[index] = withLinks(bytes)
  }
  const parsed = withParsedLinks(batch)
  if (isNaming || parsed !== batch) {
    found.addLinks(parsed, batch.kind === 'archived_task' ? 'task' : batch.kind)
    for (const record of parsed.records) {
      const attachments = attachmentsOf(batch, record)
      if (attachments !== null) addAttachments([attachments], found, 'attachment')
    }
  }
  busy.note(batch)
  firstRecords.note(batch)
  return { ...batch, received }
}

/** Whether the texts of a record, after its id, may contain links. */
function holdsLinks(texts: readonly (string | null | undefined)[], patterns: readonly LinkPattern[]): boolean {
  for (let index = 1; index < texts.length; index++) {
    const text = texts[index]
    if (typeof text === 'string' && mayHoldLinks(text, patterns)) return true
  }
  return false
}

function attachmentsOf({ kind }: ListedBatch, record: object): Attachments | null {
  return kind === 'task' || kind === 'archived_task' ? attachmentsOfTask(record) : null
}

/** Parses the unchanged records whose texts may contain links or that have attachments, so that a batch discovers the same ids in the same order. */
function withParsedLinks(batch: ListedBatch): StreamBatch {
  const linking =
    (batch.unchanged as readonly Unchanged<object>[] | undefined)?.filter(({ hasLinks }) => hasLinks) ?? []
  if (linking.length === 0) return batch
  const records: object[] = [...batch.records]
  for (const unchanged of linking.toReversed()) records.splice(unchanged.before, 0, unchanged.parse())
  return { ...batch, records } as StreamBatch // of the same kind
}

const DAY = 86_400_000

/** Number of times to return, one month apart. */
const STEP = 31 * DAY
const STEPS = 12

/** Times at which a project was busy, by the dates of the records of its other streams: events are likely there. */
export class BusyTimes {
  #latest = Number.NEGATIVE_INFINITY
  /** The latest time of unchanged records, as text: times in the same form compare as texts. */
  #latestText = ''
  #others: Promise<unknown> = Promise.resolve()

  waitFor(others: Promise<unknown>): void {
    this.#others = others
  }

  note(batch: StreamBatch): void {
    if (batch.kind !== 'task' && batch.kind !== 'archived_task' && batch.kind !== 'page') return
    for (const { updated_at: updated } of batch.records) {
      const time = Date.parse(updated ?? '')
      if (time > this.#latest) this.#latest = time
    }
    for (const { updated_at: updated } of batch.unchanged ?? []) {
      if (updated > this.#latestText) this.#latestText = updated
    }
  }

  /** The month after the last change, the month of it, and months before, once the other streams have been read. */
  async times(): Promise<number[]> {
    await this.#others
    const latest = this.#latestText === '' ? this.#latest : Math.max(this.#latest, Date.parse(this.#latestText))
    if (!Number.isFinite(latest)) return []
    return Array.from({ length: STEPS }, (_, step) => latest + (1 - step) * STEP)
  }
}
