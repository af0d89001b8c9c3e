/** The bytes in which a record was received, by their hash. */
export interface ReceivedHash {
  /** Their SHA-256, as characters that are bytes (U+0000 to U+00FF). Only the first 128 bits are compared. */
  readonly hash: string
  /** What the reader needs to know about the record if it is not parsed: integers of at least 0. */
  readonly notes: readonly number[]
}

/** Recognises records of one scope by the bytes in which a sink stored them. */
export interface KnownRecords {
  /** The number of the stored record that was received in these bytes; negative if there is none. */
  find(hash: string): number
  /** One of the notes that were recorded with its bytes; 0 if there are fewer. */
  noteOf(number: number, index: number): number
}

/** A record that was not parsed, because a sink stored it when it was received in the same bytes. */
export interface UnchangedRecord<R = unknown> {
  /** Its number in `KnownRecords`. */
  readonly number: number
  /** Number of the batch's parsed records that came before it. */
  readonly before: number
  /** Its key, as in conversion issues. */
  readonly recordKey: string
  readonly updated_at: string
  /** Parses it nevertheless. */
  parse(): R
}
