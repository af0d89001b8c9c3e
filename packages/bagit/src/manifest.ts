import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Damage, unreadable } from './damage.ts'
import { DamagedBagError } from './errors.ts'
import { BAG_FILES, bagInfoValue, PAYLOAD_FOLDER, parseManifestLine, parseOxum } from './format.ts'
import { LineReader, linesOf, readSmallFile } from './plain-file.ts'

/** A file that a bag's manifest names. */
export interface BagFile {
  /** Relative to the bag. */
  readonly path: string
  readonly sha256: string
}

/** Lines of a manifest that are searched at once. */
const BLOCK_LINES = 1000

/**
 * The payload files whose paths begin with a prefix without percent signs and line breaks, in the order of the manifest. Other lines are not
 * parsed: a backup has ten CSV files among 25,000.
 * @throws DamagedBagError
 */
export async function payloadFilesUnder(bag: string, prefix: string): Promise<BagFile[]> {
  const files: BagFile[] = []
  const name = BAG_FILES.manifest
  await guarded(bag, name, async () => {
    using lines = new LineReader(join(bag, name))
    const keep = (line: string) => {
      if (!line.includes(prefix)) return
      const file = parseManifestLine(line)
      const detail = `a line is not of the form "<sha256>  <path>"`
      if (file === null) throw new DamagedBagError(bag, { kind: 'malformed', path: name, detail })
      if (file.path.startsWith(prefix)) files.push(file)
    }
    for (let block = lines.take(BLOCK_LINES); block !== null; block = lines.take(BLOCK_LINES)) {
      if (block.includes(prefix)) for (const line of block.toString('utf8').split('\n')) keep(line)
    }
    for (let line = lines.next(); line !== null; line = lines.next()) keep(line)
  })
  return files
}

/** The tag manifest itself, which no manifest names. */
export async function tagManifestFile(bag: string): Promise<BagFile> {
  const bytes = await guarded(bag, BAG_FILES.tagManifest, () => readSmallFile(join(bag, BAG_FILES.tagManifest)))
  return { path: BAG_FILES.tagManifest, sha256: hash('sha256', bytes) }
}

/** The number of payload files that bag-info.txt states; `null` if it states none. */
export async function payloadCount(bag: string): Promise<number | null> {
  const info = await guarded(bag, BAG_FILES.info, () => readBagInfo(bag))
  return parseOxum(bagInfoValue(info, 'Payload-Oxum') ?? '')?.files ?? null
}

/** The text of bag-info.txt. @throws as `readSmallFile` */
export async function readBagInfo(bag: string): Promise<string> {
  return (await readSmallFile(join(bag, BAG_FILES.info))).toString()
}

/**
 * Checks that a bag has no files except its tag files and those that its manifest names, `named` in all. Names are compared only if the
 * numbers differ.
 * @throws DamagedBagError
 */
export async function refuseExtraFiles(bag: string, own: readonly BagFile[], named: number): Promise<void> {
  let found = 0
  for (const _path of filesUnder(bag)) found += 1
  if (found === named) return
  const names = new Set(own.map(({ path }) => path))
  for await (const { path } of payloadFiles(bag)) names.add(path)
  for (const path of filesUnder(bag)) {
    if (!names.has(path)) throw new DamagedBagError(bag, { kind: 'extra', path, detail: null })
  }
  throw new DamagedBagError(bag, {
    kind: 'changed',
    path: PAYLOAD_FOLDER,
    detail: 'a file was added or removed while it was read',
  })
}

/** Everything in a bag that is not a directory, by its path in the bag. Links are not followed. */
export function* filesUnder(bag: string, folder = ''): Generator<string> {
  for (const entry of readdirSync(join(bag, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* filesUnder(bag, path)
    else yield path
  }
}

/** A line of a file of a bag, without its line feed; `null` if it has none. */
export interface NumberedLine {
  readonly number: number
  readonly text: string | null
}

/** The lines of a manifest or of payload-sizes.txt. */
export async function* numberedLines(bag: string, name: string): AsyncGenerator<NumberedLine, void, undefined> {
  let number = 0
  for await (const line of linesOf(join(bag, name))) {
    number += 1
    yield { number, text: line.endsWith('\n') ? line.slice(0, -1) : null }
  }
}

/**
 * The payload in the order of the manifest, which is the same for the same payload. Memory does not grow with the number of files.
 * @throws DamagedBagError
 */
export async function* payloadFiles(bag: string): AsyncGenerator<BagFile, void, undefined> {
  const name = BAG_FILES.manifest
  const lines = numberedLines(bag, name)
  try {
    for (;;) {
      const { value: line, done } = await guarded(bag, name, () => lines.next())
      if (done) return
      const file = line.text === null ? null : parseManifestLine(line.text)
      const detail = `line ${line.number} is not of the form "<sha256>  <path>"`
      if (file === null) throw new DamagedBagError(bag, { kind: 'malformed', path: name, detail })
      yield file
    }
  } finally {
    await lines.return() // closes the file if not all was read
  }
}

/**
 * Runs an action that reads a file of a bag.
 * @throws DamagedBagError if the file cannot be read
 */
export async function guarded<T>(bag: string, path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    const damage: Damage = unreadable(path, error)
    throw new DamagedBagError(bag, damage)
  }
}
