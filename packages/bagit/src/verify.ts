import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type Expected, FileChecker } from './check-file.ts'
import { byPath, type Damage, withUnicodeForms } from './damage.ts'
import { BAG_FILES, PAYLOAD_FOLDER } from './format.ts'
import { filesUnder } from './manifest.ts'
import { type BagContents, readBag } from './read-bag.ts'

/** Large files read at once: while one is hashed the next ones are read. */
const READERS = 4

/** Small files are read synchronously; after this many, signals and the progress display are served. */
const FILES_IN_A_ROW = 50

export interface VerifyOptions {
  /** Checks presence and size of payload files only; tag files are always read. */
  readonly fast: boolean
  /** Reads every byte of this part of the payload only, the rest as with `fast`. */
  readonly sample?: Sample
  readonly signal?: AbortSignal
  /** Called as files are done. */
  readonly onProgress?: (done: number, total: number) => void
}

/** What `verifyBag` found. */
export interface VerifyReport {
  /** By path, one for each path. */
  readonly damage: readonly Damage[]
  /** Payload files that were there, and their bytes. */
  readonly files: number
  readonly bytes: number
}

/** Checks a bag against its manifests: every file that they name, and that there is no other. */
export async function verifyBag(bag: string, options: VerifyOptions): Promise<VerifyReport> {
  const contents = await readBag(bag)
  const damage = new Map<string, Damage>()
  // The first one reported for a path is the most specific: "line 3 is malformed" rather than "changed".
  const report = (found: Damage) => damage.has(found.path) || damage.set(found.path, found)
  for (const found of contents.damage) report(found)

  const { files, bytes } = await checkPayload(bag, contents.payload, options, report)
  for (const path of unnamedFiles(bag, contents)) report({ kind: 'extra', path, detail: null })
  const oxum = oxumDamage(contents, files, bytes)
  if (oxum && damage.size === 0) report(oxum)

  return { damage: withUnicodeForms([...damage.values()]).sort(byPath), files, bytes }
}

async function checkPayload(
  bag: string,
  payload: ReadonlyMap<string, Expected>,
  { fast, sample, signal, onProgress }: VerifyOptions,
  report: (damage: Damage) => void,
): Promise<{ files: number; bytes: number }> {
  const totals = { files: 0, bytes: 0 }
  const queue = payload.entries()
  let done = 0
  async function read(): Promise<void> {
    const checker = new FileChecker(bag)
    for (const [path, expected] of queue) {
      if (done % FILES_IN_A_ROW === 0) await setImmediate()
      signal?.throwIfAborted()
      const bySize = fast || (sample !== undefined && !isInSample(path, sample))
      const result = bySize ? checker.checkSize(path, expected) : await checker.checkContent(path, expected)
      if (result.damage) report(result.damage)
      if (result.damage?.kind !== 'missing') totals.files += 1
      totals.bytes += result.bytes
      done += 1
      onProgress?.(done, payload.size)
    }
  }
  await Promise.all(Array.from({ length: READERS }, read))
  return totals
}

/** Files that no manifest of the bag names. */
function* unnamedFiles(bag: string, { payload, payloadKnown, tags }: BagContents): Generator<string> {
  for (const path of filesUnder(bag)) {
    const isPayload = path.startsWith(`${PAYLOAD_FOLDER}/`)
    if (isPayload && !payloadKnown) continue
    // Without its tag manifest, any of a bag's own files may belong; the manifest's absence is reported already.
    if (!isPayload && (tags.size === 0 || path === BAG_FILES.tagManifest)) continue
    if (!(isPayload ? payload : tags).has(path)) yield path
  }
}

/** The totals, for bags without recorded sizes: they cannot say which file it is. */
function oxumDamage({ oxum, payloadKnown }: BagContents, files: number, bytes: number): Damage | null {
  if (oxum === null || !payloadKnown || (oxum.files === files && oxum.bytes === bytes)) return null
  const detail = `${files} files of ${bytes} bytes in all, where ${BAG_FILES.info} has ${oxum.files} of ${oxum.bytes}`
  return { kind: 'changed', path: PAYLOAD_FOLDER, detail }
}

/** One part of several into which the files of a bag fall. */
export interface Sample {
  /** From 0. */
  readonly part: number
  readonly of: number
}

/**
 * Whether a file is in the part. Depends on its path only: a file is in the same part in every backup, so
 * that one part a night covers all files in N nights.
 */
function isInSample(path: string, { part, of }: Sample): boolean {
  return Number.parseInt(hash('sha256', path).slice(0, 12), 16) % of === part
}
