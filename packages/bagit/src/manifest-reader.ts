import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { BagError } from './errors.ts'
import { BAG_FILES, type ManifestEntry, parseManifestLine, parseSizeLine } from './format.ts'
import { LineReader } from './plain-file.ts'

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
   * @throws BagError `PREVIOUS_CHANGED` if there are fewer, or the two lists differ
   */
  take(count: number): ManifestEntry[] {
    const entries: ManifestEntry[] = []
    while (entries.length < count) {
      const named = parseManifestLine(this.#manifest.next() ?? '')
      const sized = parseSizeLine(this.#sizes.next() ?? '')
      if (named === null || named.path !== sized?.path) {
        throw new BagError('PREVIOUS_CHANGED', `${BAG_FILES.manifest} and ${BAG_FILES.sizes} list different files`)
      }
      entries.push({ ...named, bytes: sized.bytes })
    }
    return entries
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
