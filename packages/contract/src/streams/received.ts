/** The bytes in which a record was received, by their hash. */
export interface ReceivedBytes {
  /** Their SHA-256, of which the first 128 bits count; each character (U+0000 to U+00FF) is a byte. */
  readonly hash: string
  /** What the reader has to know of the record to leave it unparsed: whole numbers, not negative. */
  readonly notes: readonly number[]
}

/** Recognises records of one scope by the bytes in which a sink stored them. */
export interface StoredBytes {
  /** The number of the record that is stored as it was received in these bytes; negative if there is none. */
  find(hash: string): number
  /** One of the notes that came with its bytes; 0 if there are fewer. */
  noteOf(number: number, index: number): number
}

/** A record that was not parsed, because a sink has stored it as it was received in the same bytes. */
export interface UnchangedRecord<R = unknown> {
  /** Its number in `StoredBytes`. */
  readonly number: number
  /** How many of the batch's parsed records came before it. */
  readonly before: number
  readonly updated_at: string
  /** Parses it nevertheless. */
  parse(): R
}

const received = new WeakMap<object, ReceivedBytes>()

/** Notes in which bytes a parsed record was received. */
export function noteBytes(record: object, bytes: ReceivedBytes): void {
  received.set(record, bytes)
}

/** The bytes in which a record was received; `undefined` if it may not be recognised by them. */
export function bytesOf(record: object): ReceivedBytes | undefined {
  return received.get(record)
}
