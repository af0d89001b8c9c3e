import { hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { relative } from 'node:path'
import { DamagedBagError } from '@collab-etl/bagit'

/** A record as the service sent it, without its comments. */
export interface Received {
  readonly archived: boolean
  readonly record: Readonly<Record<string, unknown>>
  /** Those of a task, post or file; CSV has them in files of their own, and none here. */
  readonly comments: readonly Readonly<Record<string, unknown>>[]
  readonly place: Place
}

/** The bytes of one record in one file of a backup. */
export interface Place {
  /** Absolute. */
  readonly path: string
  readonly offset: number
  readonly length: number
  /** Of the bytes, to detect a later change of the file. */
  readonly sha256: string
}

/** A file whose records are read from pieces of it, each by itself. */
export interface ReceivedFile {
  /** Absolute. */
  readonly path: string
  /** All bytes of the file. */
  pieces(): Iterable<Buffer> | AsyncIterable<string>
  read(piece: Buffer | string): Omit<Received, 'place'> & { readonly pid: unknown }
}

/** The records of a project in a file. @param skipped number of pieces at the beginning that are not records, such as a header */
export async function* receivedIn(
  { path, pieces, read }: ReceivedFile,
  pid: string,
  skipped: number,
): AsyncGenerator<Received, void, undefined> {
  let [offset, index] = [0, 0]
  for await (const piece of pieces()) {
    const length = Buffer.byteLength(piece)
    if (index >= skipped) {
      const { pid: own, ...found } = read(piece)
      if (own === pid) yield { ...found, place: { path, offset, length, sha256: hash('sha256', piece) } }
    }
    offset += length
    index += 1
  }
}

/**
 * Reads a record again.
 * @throws DamagedBagError if the file of the bag changed meanwhile
 */
export async function readAgain(
  bag: string,
  { read }: ReceivedFile,
  { path, offset, length, sha256 }: Place,
): Promise<Omit<Received, 'place'>> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset)
  if (bytesRead !== length || hash('sha256', buffer) !== sha256) {
    throw new DamagedBagError(bag, { kind: 'changed', path: relative(bag, path), detail: 'while it was read' })
  }
  const { pid: _own, ...found } = read(buffer)
  return found
}
