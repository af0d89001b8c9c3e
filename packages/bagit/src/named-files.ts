import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Damage } from './damage.ts'
import { DamagedBagError } from './errors.ts'
import { BAG_FILES, bagInfoValue, PAYLOAD_FOLDER, parseManifestLine, parseOxum } from './format.ts'
import { linesOf } from './lines.ts'
import { unreadable } from './read-bag.ts'

/** A file that a bag names, with what it says of it. */
export interface BagFile {
  /** Relative to the bag. */
  readonly path: string
  readonly sha256: string
}

/** The bag's own files, by its tag manifest. */
export async function tagFiles(bag: string): Promise<BagFile[]> {
  const files: BagFile[] = []
  for await (const file of manifestFiles(bag, BAG_FILES.tagManifest)) files.push(file)
  return files
}

/**
 * The payload in the order of the manifest, which is the same for the same bag, and which a reader can follow without
 * keeping it. Memory does not grow with the number of files.
 */
export function payloadFiles(bag: string): AsyncGenerator<BagFile, void, undefined> {
  return manifestFiles(bag, BAG_FILES.manifest)
}

/** The digest of a bag's tag manifest, which no manifest names. */
export async function tagManifestFile(bag: string): Promise<BagFile> {
  const bytes = await guarded(bag, BAG_FILES.tagManifest, () => readFile(join(bag, BAG_FILES.tagManifest)))
  return { path: BAG_FILES.tagManifest, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** The number of payload files that the bag tells of itself; `null` where it does not. */
export async function payloadCount(bag: string): Promise<number | null> {
  const info = await guarded(bag, BAG_FILES.info, () => readFile(join(bag, BAG_FILES.info), 'utf8'))
  return parseOxum(bagInfoValue(info, 'Payload-Oxum') ?? '')?.files ?? null
}

/**
 * Makes sure that there is nothing but what the manifests name. The numbers tell; only where they do not agree are the
 * names compared.
 */
export async function refuseExtraFiles(bag: string, named: number): Promise<void> {
  let found = 0
  for await (const _path of filesIn(bag)) found += 1
  if (found === named) return
  const names = new Set<string>([BAG_FILES.tagManifest])
  for (const { path } of await tagFiles(bag)) names.add(path)
  for await (const { path } of payloadFiles(bag)) names.add(path)
  for await (const path of filesIn(bag)) {
    if (!names.has(path)) throw new DamagedBagError(bag, { kind: 'extra', path, detail: null })
  }
  throw new DamagedBagError(bag, { kind: 'changed', path: PAYLOAD_FOLDER, detail: 'a file came or went meanwhile' })
}

async function* manifestFiles(bag: string, name: string): AsyncGenerator<BagFile, void, undefined> {
  const lines = linesOf(join(bag, name))
  let number = 0
  for (;;) {
    const { value: line, done } = await guarded(bag, name, () => lines.next())
    if (done || line === undefined) return
    number += 1
    const file = line.endsWith('\n') ? parseManifestLine(line.slice(0, -1)) : null
    const detail = `line ${number} is not of the form "<sha256>  <path>"`
    if (file === null) throw new DamagedBagError(bag, { kind: 'malformed', path: name, detail })
    yield file
  }
}

/** Everything that is no folder; links are not followed. */
async function* filesIn(bag: string, folder = ''): AsyncGenerator<string, void, undefined> {
  for (const entry of await readdir(join(bag, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* filesIn(bag, path)
    else yield path
  }
}

/** Runs what reads a file of a bag: its failure is damage of that file. */
export async function guarded<T>(bag: string, path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    const found: Damage = unreadable(path, error)
    throw new DamagedBagError(bag, found)
  }
}
