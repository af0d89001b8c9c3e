import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { type Expected, FileChecker } from './check-file.ts'
import { type Damage, unreadable } from './damage.ts'
import { DamagedBagError } from './errors.ts'
import { BAG_FILES, bagInfoValue, type Oxum, parseManifestLine, parseOxum, parseSizeLine } from './format.ts'
import { type BagFile, numberedLines, readBagInfo } from './manifest.ts'
import { readSmallFile } from './plain-file.ts'

/** The contents of a bag according to its tag files. */
export interface BagContents {
  /** Payload files by their path in the bag. */
  readonly payload: ReadonlyMap<string, Expected>
  /** Whether the manifest could be read completely; otherwise files that it does not name may belong to the bag. */
  readonly payloadKnown: boolean
  /** Files at the bag's top that its tag manifest names. */
  readonly tags: ReadonlyMap<string, Expected>
  readonly oxum: Oxum | null
  readonly damage: readonly Damage[]
}

/** Reads the files that describe a bag. */
export async function readBag(bag: string): Promise<BagContents> {
  const damage: Damage[] = []
  const tags = await readTagManifest(bag, damage)
  const problems = damage.length
  const payload = await readManifest(bag, BAG_FILES.manifest, damage)
  const payloadKnown = damage.length === problems
  // Other programs do not write it. If it is missing although the tag manifest names it, that is found with the other tag files.
  if (tags.has(BAG_FILES.sizes)) await readSizes(bag, payload, damage)
  const oxum = await readTags(bag, tags, damage)
  return { payload, payloadKnown, tags, oxum, damage }
}

/** Checks every byte of the tag files of a bag, but not its payload. Memory does not grow with the bag. */
export async function checkTags(bag: string): Promise<Damage[]> {
  const damage: Damage[] = []
  await readTags(bag, await readTagManifest(bag, damage), damage)
  return damage
}

/**
 * The tag files of a bag, by its tag manifest, after every byte of them was checked.
 * @throws DamagedBagError
 */
export async function tagFiles(bag: string): Promise<BagFile[]> {
  const damage: Damage[] = []
  const tags = await readTagManifest(bag, damage)
  await readTags(bag, tags, damage)
  const [first] = damage
  if (first) throw new DamagedBagError(bag, first)
  return [...tags].map(([path, { sha256 }]) => ({ path, sha256 }))
}

/** Reads the tag manifest; adds what is wrong with it to `damage`. */
async function readTagManifest(bag: string, damage: Damage[]): Promise<Map<string, Expected>> {
  const before = damage.length
  const tags = await readManifest(bag, BAG_FILES.tagManifest, damage)
  // unknown if this user may not read the bag
  if (damage.length > before) return tags
  const hasSizes = lstatSync(join(bag, BAG_FILES.sizes), { throwIfNoEntry: false }) !== undefined
  const detail = unnamedTag(tags, hasSizes)
  if (detail !== null) damage.push({ kind: 'malformed', path: BAG_FILES.tagManifest, detail })
  return tags
}

/**
 * Says which tag file a tag manifest does not name; `null` if it names all. A change of an unnamed file would go unnoticed: with the
 * manifest, even changes of the whole payload.
 */
export function unnamedTag(tags: { has(path: string): boolean }, hasSizes: boolean): string | null {
  const needed = [BAG_FILES.declaration, BAG_FILES.info, BAG_FILES.manifest, ...(hasSizes ? [BAG_FILES.sizes] : [])]
  const lacking = needed.find((name) => !tags.has(name))
  return lacking === undefined ? null : `does not name ${lacking}`
}

/** Reads the tag files that a bag has; adds what is wrong with them to `damage`, the most specific first. */
async function readTags(bag: string, tags: ReadonlyMap<string, Expected>, damage: Damage[]): Promise<Oxum | null> {
  damage.push(...(await checkDeclaration(bag)))
  const oxum = await readOxum(bag, damage)
  const checker = new FileChecker(bag)
  for (const [path, expected] of tags) {
    const { damage: found } = await checker.checkContent(path, expected)
    if (found) damage.push(found)
  }
  return oxum
}

async function readManifest(bag: string, name: string, damage: Damage[]): Promise<Map<string, Expected>> {
  const files = new Map<string, Expected>()
  await readLines(bag, name, damage, (line) => {
    const entry = parseManifestLine(line)
    if (entry === null) return 'is not of the form "<sha256>  <path>"'
    if (files.has(entry.path)) return 'names a file again'
    files.set(entry.path, { sha256: entry.sha256, bytes: null })
    return null
  })
  return files
}

async function readSizes(bag: string, payload: Map<string, Expected>, damage: Damage[]): Promise<void> {
  await readLines(bag, BAG_FILES.sizes, damage, (line) => {
    const entry = parseSizeLine(line)
    if (entry === null) return 'is not of the form "<bytes>  <path>"'
    const expected = payload.get(entry.path)
    if (expected) payload.set(entry.path, { ...expected, bytes: entry.bytes })
    return null
  })
}

/** Gives each line to `take`, which returns what is wrong with it. The first wrong line is reported. */
async function readLines(
  bag: string,
  name: string,
  damage: Damage[],
  take: (line: string) => string | null,
): Promise<void> {
  let wrong: string | null = null
  try {
    for await (const { number, text } of numberedLines(bag, name)) {
      const problem = text === null ? 'has no end' : take(text)
      if (problem !== null) wrong ??= `line ${number} ${problem}`
    }
    if (wrong !== null) damage.push({ kind: 'malformed', path: name, detail: wrong })
  } catch (error) {
    damage.push(unreadable(name, error))
  }
}

async function checkDeclaration(bag: string): Promise<Damage[]> {
  try {
    const text = (await readSmallFile(join(bag, BAG_FILES.declaration))).toString()
    if (/^BagIt-Version: \d+\.\d+\nTag-File-Character-Encoding: UTF-8\n$/.test(text)) return []
    return [{ kind: 'malformed', path: BAG_FILES.declaration, detail: 'does not declare a bag in UTF-8' }]
  } catch (error) {
    return [unreadable(BAG_FILES.declaration, error)]
  }
}

async function readOxum(bag: string, damage: Damage[]): Promise<Oxum | null> {
  try {
    const value = bagInfoValue(await readBagInfo(bag), 'Payload-Oxum')
    const oxum = value === undefined ? null : parseOxum(value)
    if (oxum === null) damage.push({ kind: 'malformed', path: BAG_FILES.info, detail: 'has no Payload-Oxum' })
    return oxum
  } catch (error) {
    damage.push(unreadable(BAG_FILES.info, error))
    return null
  }
}
