import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { BagError } from './errors.ts'
import { BAG_FILES, LONGEST_SIZE, type ManifestEntry, type Oxum, parseManifestLine, parseSizeLine } from './format.ts'
import { LINE_FEED, LineReader } from './plain-file.ts'

/** Payload files as the two lists of a bag name them: whole lines of each, in the same order. */
export interface ListedFiles {
  readonly manifest: Uint8Array
  readonly sizes: Uint8Array
}

/**
 * The entries of listed files.
 * @throws BagError `PREVIOUS_CHANGED` if the two lists differ
 */
export function* entriesOf({ manifest, sizes }: ListedFiles): Generator<ManifestEntry, void, undefined> {
  const [named, sized] = [linesIn(manifest), linesIn(sizes)]
  for (;;) {
    const [one, other] = [named.next(), sized.next()]
    if (one.done && other.done) return
    const [file, size] = [parseManifestLine(one.value ?? ''), parseSizeLine(other.value ?? '')]
    if (file === null || file.path !== size?.path) {
      throw new BagError('PREVIOUS_CHANGED', `${BAG_FILES.manifest} and ${BAG_FILES.sizes} list different files`)
    }
    yield { ...file, bytes: size.bytes }
  }
}

/** The number of listed files, and the bytes that they have together. */
export function oxumOf(listed: ListedFiles): Oxum {
  const sizes = bufferOf(listed.sizes)
  let [bytes, files] = [0, 0]
  for (let at = 0; at < sizes.length; at = sizes.indexOf(LINE_FEED, at) + 1) {
    bytes += Number.parseInt(sizes.toString('latin1', at, at + LONGEST_SIZE), 10)
    files += 1
  }
  return { bytes, files }
}

/** The same bytes: a message makes an array of a buffer. */
function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

/** The lines of a text, each of which ends in a line feed. */
function* linesIn(array: Uint8Array): Generator<string, void, undefined> {
  const bytes = bufferOf(array)
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, at)
    yield bytes.toString('utf8', at, end)
    at = end + 1
  }
}

/** Reads the payload files of a bag that this package wrote, in the order of its manifest, with their sizes. */
export class ManifestReader implements Disposable {
  readonly #manifest: LineReader
  readonly #sizes: LineReader

  /** `bag` is the folder of a bag whose tag files are intact. */
  constructor(bag: string) {
    this.#manifest = new LineReader(join(bag, BAG_FILES.manifest))
    this.#sizes = new LineReader(join(bag, BAG_FILES.sizes))
  }

  /**
   * The next `count` files.
   * @throws BagError `PREVIOUS_CHANGED` if there are fewer
   */
  take(count: number): Readonly<Record<keyof ListedFiles, Buffer>> {
    const [manifest, sizes] = [this.#manifest.take(count), this.#sizes.take(count)]
    if (manifest === null || sizes === null) {
      throw new BagError('PREVIOUS_CHANGED', `${BAG_FILES.manifest} or ${BAG_FILES.sizes} ends early`)
    }
    return { manifest: Buffer.from(manifest), sizes: Buffer.from(sizes) }
  }

  [Symbol.dispose](): void {
    this.#manifest[Symbol.dispose]()
    this.#sizes[Symbol.dispose]()
  }
}

/** How many bytes at the end of a manifest are read to find its last files. */
const TAIL_BYTES = 64 * 1024

/** The last few hundred files of a bag's manifest, by path. */
export function lastFiles(bag: string): ReadonlyMap<string, ManifestEntry> {
  const sizes = new Map(
    tailOf(join(bag, BAG_FILES.sizes)).flatMap((line) => {
      const sized = parseSizeLine(line)
      return sized ? [[sized.path, sized.bytes]] : []
    }),
  )
  const files = new Map<string, ManifestEntry>()
  for (const line of tailOf(join(bag, BAG_FILES.manifest))) {
    const named = parseManifestLine(line)
    const bytes = named === null ? undefined : sizes.get(named.path)
    if (named && bytes !== undefined) files.set(named.path, { ...named, bytes })
  }
  return files
}

/** The whole lines at the end of a file. */
function tailOf(path: string): string[] {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(TAIL_BYTES)
    const start = Math.max(0, fstatSync(file).size - TAIL_BYTES)
    const lines = buffer.toString('utf8', 0, readSync(file, buffer, 0, TAIL_BYTES, start)).split('\n')
    return start === 0 ? lines : lines.slice(1)
  } finally {
    closeSync(file)
  }
}
