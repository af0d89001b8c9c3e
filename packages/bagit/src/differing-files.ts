import { join } from 'node:path'
import { unreadable } from './damage.ts'
import { DamagedBagError } from './errors.ts'
import { BAG_FILES, parseManifestLine } from './format.ts'
import type { BagFile } from './manifest.ts'
import { LineReader } from './plain-file.ts'

/** Files that only one of two bags lists. A file whose bytes differ is in both lists. Each is in the order of its manifest. */
export interface DifferingFiles {
  readonly before: readonly BagFile[]
  readonly after: readonly BagFile[]
}

/** Lines that are compared at once. Most files of two successive bags are the same. */
const BLOCK_LINES = 500

/**
 * Compares the manifests of two bags, without reading any other file. Memory grows with the number of differences, and with the number of
 * files only if both bags list the same files in different orders.
 * @throws DamagedBagError if a manifest cannot be read
 */
export function differingFiles(before: string, after: string): DifferingFiles {
  using left = openManifest(before)
  using right = openManifest(after)
  const [onlyBefore, onlyAfter] = [new Set<string>(), new Set<string>()]
  for (;;) {
    const [a, b] = [left.block(), right.block()]
    if (a === null && b === null) break
    if (a !== null && b !== null && a.equals(b)) continue
    const [theirs, ours] = [linesIn(a), linesIn(b)]
    for (let at = 0; at < Math.max(theirs.length, ours.length); at++) {
      const [one, other] = [theirs[at], ours[at]]
      if (one === other) continue
      if (one !== undefined && !onlyAfter.delete(one)) onlyBefore.add(copyOf(one))
      if (other !== undefined && !onlyBefore.delete(other)) onlyAfter.add(copyOf(other))
    }
  }
  return { before: filesIn(before, onlyBefore), after: filesIn(after, onlyAfter) }
}

interface ManifestBlocks extends Disposable {
  /** The next lines; `null` at the end. */
  block(): Buffer | null
}

function openManifest(bag: string): ManifestBlocks {
  const guarded = <T>(action: () => T): T => {
    try {
      return action()
    } catch (error) {
      throw new DamagedBagError(bag, unreadable(BAG_FILES.manifest, error))
    }
  }
  const lines = guarded(() => new LineReader(join(bag, BAG_FILES.manifest)))
  return {
    block: () =>
      guarded(() => {
        const whole = lines.take(BLOCK_LINES)
        if (whole !== null) return whole
        const rest: string[] = []
        for (let line = lines.next(); line !== null; line = lines.next()) rest.push(`${line}\n`)
        return rest.length === 0 ? null : Buffer.from(rest.join(''))
      }),
    [Symbol.dispose]: () => lines[Symbol.dispose](),
  }
}

function linesIn(block: Buffer | null): readonly string[] {
  return block === null ? [] : block.toString('utf8').split('\n').slice(0, -1)
}

/** V8 keeps the whole text of which a line is a part. */
function copyOf(line: string): string {
  return Buffer.from(line).toString()
}

function filesIn(bag: string, lines: ReadonlySet<string>): readonly BagFile[] {
  return [...lines].map((line) => {
    const file = parseManifestLine(line)
    const detail = 'a line is not of the form "<sha256>  <path>"'
    if (file === null) throw new DamagedBagError(bag, { kind: 'malformed', path: BAG_FILES.manifest, detail })
    return file
  })
}
