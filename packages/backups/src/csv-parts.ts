import { closeSync, openSync, readSync } from 'node:fs'

/** A part of a file in bytes. */
export type FilePart = readonly [start: number, end: number]

/** The parts of two versions of a CSV file that may differ, in order. The first one of each is the header. Each part holds whole rows. */
export interface DifferingParts {
  readonly before: readonly FilePart[]
  readonly after: readonly FilePart[]
}

/**
 * By table, what a writer knows of two backups: outside of these parts the files are the same, byte for byte, and a record that has a row in a part
 * has all its rows in parts. The bytes of both files are those that their manifests name.
 */
export type DifferingTables = ReadonlyMap<string, DifferingParts>

/** Whether any rows may differ. */
export function haveRows({ before, after }: DifferingParts): boolean {
  return before.length > 1 || after.length > 1
}

/** Bytes that are given to the parser at once. */
const CHUNK_BYTES = 256 * 1024

/** The bytes of parts of a file, one after the other, in chunks. */
export function* bytesOf(path: string, parts: readonly FilePart[]): Generator<Buffer, void, undefined> {
  const file = openSync(path, 'r')
  try {
    // A buffer of its own for each chunk: the parser may still use the one before.
    let [buffer, filled] = [Buffer.allocUnsafeSlow(CHUNK_BYTES), 0]
    for (const [start, end] of parts) {
      for (let at = start; at < end; ) {
        const read = readSync(file, buffer, filled, Math.min(end - at, CHUNK_BYTES - filled), at)
        if (read === 0) throw new RangeError(`${path} has no ${end} bytes`)
        at += read
        filled += read
        if (filled < CHUNK_BYTES) continue
        yield buffer
        ;[buffer, filled] = [Buffer.allocUnsafeSlow(CHUNK_BYTES), 0]
      }
    }
    if (filled > 0) yield buffer.subarray(0, filled)
  } finally {
    closeSync(file)
  }
}
