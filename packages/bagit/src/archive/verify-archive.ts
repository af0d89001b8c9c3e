import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { Decrypter } from 'age-encryption'
import { byPath, type Damage, withUnicodeForms } from '../damage.ts'
import { BagError, isBagError } from '../errors.ts'
import { BAG_FILES, DECLARATION, isForeignBag, OWN_MANIFEST, PAYLOAD_FOLDER, parseManifestLine } from '../format.ts'
import { unnamedTag } from '../read-bag.ts'
import type { VerifyReport } from '../verify.ts'
import { archiveMembers } from './archive-reader.ts'
import { BrokenArchive } from './member.ts'
import { MemberNames } from './member-names.ts'

export interface VerifyArchiveOptions {
  /** `null` if no key was given. */
  readonly decrypter: Decrypter | null
  readonly signal: AbortSignal
  /** `total` is known once the manifest was read. */
  readonly onProgress: (done: number, total: number) => void
  /** Gets the content of each file on the way to its check; `path` is relative to the bag, and safe to unpack to. */
  readonly pass?: (path: string, content: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
}

/** The tag files whose text is needed. Others may be large. */
const READ_FILES: ReadonlySet<string> = new Set([BAG_FILES.declaration, BAG_FILES.manifest, BAG_FILES.tagManifest])

/** Bytes of such a file at most, as it is held in memory: the lines of a million files take about 150 MB. */
const LONGEST_READ_BYTES = 256 * 1024 * 1024

interface Digested {
  readonly sha256: string
  readonly bytes: number
  /** Only of `READ_FILES`. */
  readonly text: string | null
}

/**
 * Checks an archive against the manifests in it, in one pass and without unpacking it: every byte of every file, that no file is
 * missing, and that the archive holds nothing else that a program could unpack (links, a second file of the same name, data outside
 * of files). The tag files must come first, as `openArchiveTarget` writes them.
 * @throws BagError if the key is missing or wrong, or the file is not an archive
 */
export async function verifyArchive(path: string, options: VerifyArchiveOptions): Promise<VerifyReport> {
  const check = new ArchiveCheck()
  const names = new MemberNames()
  try {
    for await (const member of archiveMembers(path, options.decrypter)) {
      options.signal.throwIfAborted()
      const inBag = member.path.slice(member.path.indexOf('/') + 1)
      const problem = member.kind === 'other' ? `is ${member.detail}` : null
      const ofName = names.take(member.path, member.kind)
      if (problem !== null || ofName !== null) {
        check.refuse(names.isBelowRoot(member.path) ? inBag : member.path, problem ?? `is ${ofName}`)
      } else if (member.kind === 'folder') {
        check.takeFolder(member.path.includes('/') ? inBag : '')
      } else if (member.kind === 'file') {
        const content = options.pass?.(inBag, member.content) ?? member.content
        check.take(inBag, await digestOf(content, READ_FILES.has(inBag)))
      }
      options.onProgress(check.files, check.expected)
    }
    check.refuseForeign(path)
  } catch (error) {
    if (isBagError(error) || options.signal.aborted) throw error
    const detail = error instanceof Error ? error.message : String(error)
    const shown = error instanceof BrokenArchive ? detail : `breaks off: ${detail}`
    check.report({ kind: 'unreadable', path: basename(path), detail: shown })
  }
  return check.end()
}

/** Compares the contents of an archive with its manifests. */
class ArchiveCheck {
  readonly #damage = new Map<string, Damage>()
  readonly #own = new Map<string, Digested>()
  /** Folders that have an entry, and those that contain a file. */
  readonly #folders = new Set<string>()
  readonly #needed = new Set<string>([''])
  #payload: Map<string, string> | null = null
  #bytes = 0
  #hasOwnManifest = false
  files = 0
  expected = 0

  report(damage: Damage): void {
    if (!this.#damage.has(damage.path)) this.#damage.set(damage.path, damage)
  }

  /** Reports a member that cannot be a file of a bag. If the bag has a file of that name, it counts as changed, not as missing. */
  refuse(path: string, detail: string): void {
    this.report({ kind: this.#payload?.has(path) || this.#own.has(path) ? 'changed' : 'extra', path, detail })
  }

  /** @throws BagError if it is a bag, but not a backup */
  refuseForeign(archive: string): void {
    if (isForeignBag([...this.#own.keys()], this.#hasOwnManifest))
      throw new BagError('NOT_AN_ARCHIVE', `${archive} holds a bag, but not a backup`)
  }

  takeFolder(path: string): void {
    this.#folders.add(path)
  }

  take(path: string, file: Digested): void {
    this.#hasOwnManifest ||= path === OWN_MANIFEST
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) this.#needed.add(path.slice(0, end))
    if (!path.startsWith(`${PAYLOAD_FOLDER}/`)) {
      this.#own.set(path, file)
      return
    }
    const payload = this.#manifest()
    this.files += 1
    this.#bytes += file.bytes
    const sha256 = payload.get(path)
    payload.delete(path)
    if (sha256 === undefined) this.report({ kind: 'extra', path, detail: null })
    else if (sha256 !== file.sha256) this.report({ kind: 'changed', path, detail: null })
  }

  end(): VerifyReport {
    for (const path of this.#manifest().keys()) this.report({ kind: 'missing', path, detail: null })
    const own = this.#own
    const tags = this.#parsed(BAG_FILES.tagManifest)
    for (const [path, sha256] of tags) {
      const found = own.get(path)
      if (found === undefined) this.report({ kind: 'missing', path, detail: null })
      else if (found.sha256 !== sha256) this.report({ kind: 'changed', path, detail: null })
    }
    for (const path of own.keys()) {
      if (path !== BAG_FILES.tagManifest && !tags.has(path)) this.report({ kind: 'extra', path, detail: null })
    }
    const detail = unnamedTag(tags, own.has(BAG_FILES.sizes))
    if (detail !== null) this.report({ kind: 'malformed', path: BAG_FILES.tagManifest, detail })
    const declaration = own.get(BAG_FILES.declaration)
    if (declaration === undefined) this.report({ kind: 'missing', path: BAG_FILES.declaration, detail: null })
    else if (declaration.text !== DECLARATION) {
      this.report({ kind: 'malformed', path: BAG_FILES.declaration, detail: 'does not declare a bag in UTF-8' })
    }
    for (const path of this.#folders) {
      if (!this.#needed.has(path)) this.report({ kind: 'extra', path, detail: 'an empty folder' })
    }
    const damage = withUnicodeForms([...this.#damage.values()]).sort(byPath)
    return { damage, files: this.files, bytes: this.#bytes }
  }

  /** The payload files that were not met yet. */
  #manifest(): Map<string, string> {
    if (this.#payload === null) {
      this.#payload = this.#parsed(BAG_FILES.manifest)
      this.expected = this.#payload.size
      this.#hasOwnManifest ||= this.#payload.has(OWN_MANIFEST)
    }
    return this.#payload
  }

  #parsed(name: string): Map<string, string> {
    const files = new Map<string, string>()
    const text = this.#own.get(name)?.text
    if (text == null) {
      this.report({ kind: 'missing', path: name, detail: 'before the files that it names' })
      return files
    }
    for (const [index, line] of text.split('\n').entries()) {
      const file = parseManifestLine(line)
      if (file && files.has(file.path)) {
        this.report({ kind: 'malformed', path: name, detail: `line ${index + 1} names a file again` })
      } else if (file) files.set(file.path, file.sha256)
      else if (line !== '') this.report({ kind: 'malformed', path: name, detail: `line ${index + 1}` })
    }
    return files
  }
}

async function digestOf(content: AsyncIterable<Uint8Array>, isKept: boolean): Promise<Digested> {
  const hash = createHash('sha256')
  const kept: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of content) {
    hash.update(chunk)
    bytes += chunk.length
    if (!isKept) continue
    if (bytes > LONGEST_READ_BYTES) throw new BrokenArchive('has a manifest of more than 256 MB')
    kept.push(chunk)
  }
  return { sha256: hash.digest('hex'), bytes, text: isKept ? Buffer.concat(kept).toString() : null }
}
