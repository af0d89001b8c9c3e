import type { KnownRecords, ReceivedHash, UnchangedRecord } from '@collab-etl/contract/streams'
import { isExact } from '@collab-etl/contract/timestamp'
import type { AnyRecord } from './record.ts'

/** Fields whose text the reader needs, by operation. Their offsets in a record's bytes are its notes. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'tasks.list': ['tid', 'updated_at'],
  'tasks.archived.list': ['tid', 'updated_at'],
  'pages.list': ['page_id', 'updated_at', 'parent_id'],
  'events.list': ['event_id', 'start', 'end'],
}

/** Operations whose records have a number of comments; the fourth note is that number plus 1. */
const WITH_COMMENTS: ReadonlySet<string> = new Set(['tasks.list', 'tasks.archived.list'])
const COMMENT_COUNT = 3
const MOST_COMMENTS = 1_000_000_000

/** Bits of the first note. */
const HAS_LINKS = 1
const RECURS = 2

/** Texts without escapes in JSON, which can be read from a record's bytes. */
const PLAIN = /^[ !#-[\]-~]{1,512}$/

const QUOTE = 0x22

/** Where an element is in the bytes of its answer, and the hash of its bytes. */
export interface ElementBytes {
  readonly hash: string
  readonly start: number
  readonly end: number
}

/** The placeholder of a record that was not parsed. The texts that the reader needs are read from its bytes. */
export class Unchanged<R> implements UnchangedRecord<R> {
  readonly number: number
  before = 0
  readonly #operation: string
  readonly #stored: KnownRecords
  readonly #parse: (bytes: Buffer) => R
  #bytes: Buffer
  #at: ElementBytes
  #updatedAt: string | undefined

  constructor(
    operation: string,
    stored: KnownRecords,
    number: number,
    { bytes, at, parse }: { readonly bytes: Buffer; readonly at: ElementBytes; readonly parse: (bytes: Buffer) => R },
  ) {
    this.#operation = operation
    this.#stored = stored
    this.number = number
    this.#parse = parse
    this.#bytes = bytes
    this.#at = at
  }

  get hash(): string {
    return this.#at.hash
  }

  get recordKey(): string {
    return this.#operation === 'events.list' ? `${this.event_id} ${this.start}` : this.#text(1)
  }

  get tid(): string {
    return this.#text(1)
  }

  get page_id(): string {
    return this.#text(1)
  }

  get event_id(): string {
    return this.#text(1)
  }

  get updated_at(): string {
    this.#updatedAt ??= this.#text(2)
    return this.#updatedAt
  }

  get start(): string {
    return this.#text(2)
  }

  get parent_id(): string {
    return this.#text(3)
  }

  get end(): string {
    return this.#text(3)
  }

  /** 1 if the event recurs, else 0. */
  get recurrence(): number {
    return (this.#stored.noteOf(this.number, 0) & RECURS) === 0 ? 0 : 1
  }

  /** Whether its texts may contain links. */
  get hasLinks(): boolean {
    return (this.#stored.noteOf(this.number, 0) & HAS_LINKS) !== 0
  }

  /** Number of comments of a task; `undefined` if its notes do not say it. */
  get commentCount(): number | undefined {
    const noted = this.#stored.noteOf(this.number, COMMENT_COUNT)
    return noted === 0 ? undefined : noted - 1
  }

  parse(): R {
    return this.#parse(this.#bytes.subarray(this.#at.start, this.#at.end))
  }

  /** Keeps its bytes, which otherwise last until the next part of the answer is read. */
  keep(): this {
    const { hash, start, end } = this.#at
    this.#bytes = Buffer.from(this.#bytes.subarray(start, end))
    this.#at = { hash, start: 0, end: end - start }
    return this
  }

  #text(note: number): string {
    const at = this.#stored.noteOf(this.number, note)
    if (at === 0) return ''
    const start = this.#at.start + at
    return this.#bytes.toString('latin1', start, this.#bytes.indexOf(QUOTE, start))
  }
}

/** The bytes in which records were received, from their answer to their batch. */
const bytesOf = new WeakMap<object, ReceivedHash>()

/** Remembers the bytes in which a record was received, so that it need not be parsed when they come again. */
export function noteReceived(operation: string, record: AnyRecord, bytes: Buffer, at: ElementBytes): void {
  const notes = [Number(record['recurrence']) > 0 ? RECURS : 0]
  for (const name of FIELDS[operation] ?? []) {
    const value = record[name]
    const isNone = value === '' || (value === null && name === 'end')
    if (!isNone && (typeof value !== 'string' || !PLAIN.test(value))) return
    // such times can be compared as texts
    if (name === 'updated_at' && !isExact(String(value))) return
    const place = isNone ? 0 : bytes.indexOf(`"${value}"`, at.start, 'latin1') + 1 - at.start
    if (!isNone && (place <= 0 || at.start + place >= at.end)) return
    notes.push(place)
  }
  if (WITH_COMMENTS.has(operation)) {
    const { comment_count: count } = (record['badges'] ?? {}) as { comment_count?: number | null }
    notes.push(count == null || count < 0 || count > MOST_COMMENTS ? 0 : count + 1)
  }
  bytesOf.set(record, { hash: at.hash, notes })
}

/** The bytes of a record, noting that its texts may contain links. */
export function withLinks({ hash, notes: [flags = 0, ...places] }: ReceivedHash): ReceivedHash {
  return { hash, notes: [flags | HAS_LINKS, ...places] }
}

/** The hash of the bytes in which a record was received; `undefined` if it may not be recognised by them. */
export function receivedHash(record: object): string | undefined {
  return record instanceof Unchanged ? record.hash : bytesOf.get(record)?.hash
}

/** Separates parsed records, with the bytes in which they were received, from those that were not parsed. */
export function parted<R extends object>(
  records: readonly (R | Unchanged<R>)[],
): { records: R[]; received: (ReceivedHash | undefined)[]; unchanged: Unchanged<R>[] } {
  const parsed: R[] = []
  const received: (ReceivedHash | undefined)[] = []
  const unchanged: Unchanged<R>[] = []
  for (const record of records) {
    if (record instanceof Unchanged) {
      record.before = parsed.length
      unchanged.push(record)
    } else {
      parsed.push(record)
      received.push(bytesOf.get(record))
    }
  }
  return { records: parsed, received, unchanged }
}
