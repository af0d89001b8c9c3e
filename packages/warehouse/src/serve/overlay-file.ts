import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'

/** What is written is kept in blocks of this size, that of the pages of Postgres. */
export const BLOCK_BYTES = 8192

/** Blocks that one session wrote, in a file without a name: the system frees it when the process ends, even after a kill. */
export class Spill {
  readonly #descriptor: number
  readonly #free: number[] = []
  #blocks = 0

  /** @param path of a file that does not exist yet, in a directory that does */
  constructor(path: string) {
    this.#descriptor = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
  }

  /** A place for a block. It may hold old bytes. */
  take(): number {
    return this.#free.pop() ?? this.#blocks++
  }

  give(place: number): void {
    this.#free.push(place)
  }

  /** Size of the file in bytes, with the places that were given back: it never becomes smaller. */
  get bytes(): number {
    return this.#blocks * BLOCK_BYTES
  }

  read(place: number, into: Uint8Array, from: number): void {
    readWhole(this.#descriptor, into, place * BLOCK_BYTES + from)
  }

  write(place: number, bytes: Uint8Array, from: number): void {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, place * BLOCK_BYTES + from + done)
  }
}

/** A file with the content of another one, except for the blocks that were written here. The other one is only read. */
export class OverlayFile {
  readonly #spill: Spill
  readonly #below: string | null
  readonly #written = new Map<number, number>()
  #descriptor: number | null = null
  #users = 0
  #isRemoved = false
  /** How many bytes of the file below are visible: fewer after `truncate`. */
  #shown: number
  size: number
  modified = Date.now()

  /** @param below path of the other file, of `size` bytes; `null`: there is none */
  constructor(spill: Spill, below: string | null, size: number) {
    this.#spill = spill
    this.#below = below
    this.#shown = size
    this.size = size
  }

  open(): void {
    if (this.#below !== null && this.#shown > 0) this.#descriptor ??= openSync(this.#below, 'r')
    this.#users++
  }

  close(): void {
    if (--this.#users > 0) return
    if (this.#isRemoved) this.truncate(0)
    if (this.#descriptor === null) return
    closeSync(this.#descriptor)
    this.#descriptor = null
  }

  /** Frees its blocks once no descriptor of it is open. */
  remove(): void {
    this.#isRemoved = true
    if (this.#users === 0) this.truncate(0)
  }

  /** Reads up to the end of the file. Returns the number of bytes. */
  read(into: Uint8Array, position: number): number {
    const length = Math.max(0, Math.min(into.length, this.size - position))
    for (const { block, from, start, end } of piecesOf(position, length)) {
      const place = this.#written.get(block)
      const piece = into.subarray(start, end)
      if (place === undefined) this.#readBelow(piece, block * BLOCK_BYTES + from)
      else this.#spill.read(place, piece, from)
    }
    return length
  }

  write(bytes: Uint8Array, position: number): number {
    for (const { block, from, start, end } of piecesOf(position, bytes.length))
      this.#spill.write(this.#placeOf(block, end - start), bytes.subarray(start, end), from)
    this.size = Math.max(this.size, position + bytes.length)
    this.modified = Date.now()
    return bytes.length
  }

  truncate(size: number): void {
    const firstLeft = Math.ceil(size / BLOCK_BYTES)
    for (const [block, place] of this.#written) {
      if (block < firstLeft) continue
      this.#spill.give(place)
      this.#written.delete(block)
    }
    const last = this.#written.get(firstLeft - 1)
    // what follows the end is zero if the file grows again
    if (last !== undefined && size % BLOCK_BYTES > 0)
      this.#spill.write(last, new Uint8Array(BLOCK_BYTES - (size % BLOCK_BYTES)), size % BLOCK_BYTES)
    this.#shown = Math.min(this.#shown, size)
    this.size = size
    this.modified = Date.now()
  }

  /** The place of a block that is about to be written. If `length` is less than a block, its former content is copied there. */
  #placeOf(block: number, length: number): number {
    const known = this.#written.get(block)
    if (known !== undefined) return known
    const place = this.#spill.take()
    if (length < BLOCK_BYTES) {
      const before = new Uint8Array(BLOCK_BYTES)
      this.#readBelow(before, block * BLOCK_BYTES)
      this.#spill.write(place, before, 0)
    }
    this.#written.set(block, place)
    return place
  }

  #readBelow(into: Uint8Array, position: number): void {
    const length = Math.max(0, Math.min(into.length, this.#shown - position))
    into.fill(0, length)
    if (length === 0) return
    if (this.#descriptor === null) throw new Error('a file that is not open')
    readWhole(this.#descriptor, into.subarray(0, length), position)
  }
}

/** Divides a range of bytes at the bounds of blocks. `from` counts within the block, `start` and `end` within the range. */
function* piecesOf(position: number, length: number) {
  for (let start = 0; start < length; ) {
    const block = Math.floor((position + start) / BLOCK_BYTES)
    const from = (position + start) % BLOCK_BYTES
    const end = Math.min(length, start + BLOCK_BYTES - from)
    yield { block, from, start, end }
    start = end
  }
}

function readWhole(descriptor: number, into: Uint8Array, position: number): void {
  for (let done = 0; done < into.length; ) {
    const count = readSync(descriptor, into, done, into.length - done, position + done)
    if (count === 0) throw new Error('a file became shorter while it was served')
    done += count
  }
}
