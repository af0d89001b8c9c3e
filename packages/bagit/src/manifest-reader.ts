import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { BagError } from './errors.ts'
import { BAG_FILES, type ManifestEntry, parseManifestLine, parseSizeLine } from './format.ts'
import { LineReader } from './plain-file.ts'

/** Payload files as the two lists of a bag name them: whole lines of each, in the same order. */
export interface ListedFiles {
  readonly manifest: string
  readonly sizes: string
}

/**
 * The entries of listed files.
 * @throws BagError `PREVIOUS_CHANGED` if the two lists differ
 */
export function entriesOf({ manifest, sizes }: ListedFiles): ManifestEntry[] {
  const [named, sized] = [linesIn(manifest), linesIn(sizes)]
  return Array.from({ length: Math.max(named.length, sized.length) }, (_, index) => {
    const [file, size] = [parseManifestLine(named[index] ?? ''), parseSizeLine(sized[index] ?? '')]
    if (file === null || file.path !== size?.path) {
      throw new BagError('PREVIOUS_CHANGED', `${BAG_FILES.manifest} and ${BAG_FILES.sizes} list different files`)
    }
    return { ...file, bytes: size.bytes }
  })
}

/** The lines of a text, each of which ends in a line feed. */
function linesIn(text: string): string[] {
  return text.split('\n').slice(0, -1)
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
  take(count: number): ListedFiles {
    const [manifest, sizes] = [this.#manifest.take(count), this.#sizes.take(count)]
    if (manifest === null || sizes === null) {
      throw new BagError('PREVIOUS_CHANGED', `${BAG_FILES.manifest} or ${BAG_FILES.sizes} ends early`)
    }
    return { manifest, sizes }
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
