import { lstat, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BAG_FILES, bagInfoValue, linesOf, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { isWhole } from '../source/backup-source.ts'
import type { Coverage } from './coverage.ts'
import { BAG_LABELS } from './labels.ts'

/** What a backup manifest states about the contents of the backup. */
export interface ManifestFacts {
  readonly formats: readonly string[]
  /** Whether all streams of the backup were read completely. */
  readonly data: 'whole' | 'partial'
  readonly coverage: Coverage
}

/** The first lines of data/backup.json, which identify backups of this tool. */
const BEGINNING = '{\n"format": "collab-export backup",\n'

const MANIFEST = join(PAYLOAD_FOLDER, 'backup.json')

/**
 * Whether a directory is a backup that this tool wrote: it has bagit.txt, and its backup manifest has the beginning that this tool
 * writes. `verify` reports any other damage.
 */
export async function isOurBackup(bag: string): Promise<boolean> {
  const [declaration, manifest] = await Promise.all([
    beginningOf(join(bag, BAG_FILES.declaration), 'BagIt-Version:'.length),
    beginningOf(join(bag, MANIFEST), BEGINNING.length),
  ])
  return declaration === 'BagIt-Version:' && manifest === BEGINNING
}

/** The first bytes of a file; `null` if it cannot be read. */
async function beginningOf(path: string, length: number): Promise<string | null> {
  try {
    // Opening a named pipe would block.
    if (!(await lstat(path)).isFile()) return null
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return null
  }
}

/**
 * Reads data/backup.json line by line, up to its scopes, because the list of losses may be long. Returns `null` if it cannot be read or
 * is not a backup manifest.
 */
export async function readManifestFacts(bag: string): Promise<ManifestFacts | null> {
  const reader = new FactsReader()
  try {
    for await (const line of linesOf(join(bag, MANIFEST))) if (reader.take(line)) break
    const info = (await readFile(join(bag, BAG_FILES.info), 'utf8').catch(() => null)) ?? ''
    return reader.facts(info)
  } catch {
    // Missing, or not a backup manifest.
    return null
  }
}

class FactsReader {
  #formats: string[] | null = null
  /** `undefined`: written by a version that did not record it. */
  #projects: readonly string[] | null | undefined
  readonly #held = new Set<string>()
  /** Projects with at least one scope. */
  readonly #judged = new Set<string>()
  readonly #missing = new Map<string | null, Set<string>>()
  #list: 'projects' | 'scopes' | null = null
  #isRead = false

  /** Returns whether the scopes are read. */
  take(line: string): boolean {
    if (this.#list !== null && line.startsWith('{')) this.#entry(this.#list, fieldsOf(line))
    else if (this.#list === 'scopes') this.#isRead = true
    else if (line.startsWith('"formats": ')) this.#formats = textsIn(fieldsOf(`{${trimmed(line)}}`)['formats'])
    else if (line.startsWith('"coverage": ')) this.#projects = projectsIn(fieldsOf(`{${trimmed(line)}}`)['coverage'])
    else if (line.startsWith('"projects": [')) this.#list = line.includes(']') ? null : 'projects'
    else if (line.startsWith('"scopes": [')) {
      this.#list = 'scopes'
      this.#isRead = line.includes(']')
    } else this.#list = null
    return this.#isRead
  }

  #entry(list: 'projects' | 'scopes', fields: Readonly<Record<string, unknown>>): void {
    const { pid, stream, status, error } = fields
    if (list === 'projects') {
      this.#held.add(String(pid))
      return
    }
    if (pid !== null) this.#judged.add(String(pid))
    if (isWhole({ status: String(status), error })) return
    const key = pid === null ? null : String(pid)
    this.#missing.set(key, (this.#missing.get(key) ?? new Set()).add(String(stream)))
  }

  facts(info: string): ManifestFacts | null {
    if (this.#formats === null || !this.#isRead) return null
    const isOld = this.#projects === undefined
    // Earlier versions did not record which projects the backup was made for: use those that it names.
    const projects = isOld ? [...this.#held, ...this.#judged] : this.#projects
    const readAt = timeIn(info, BAG_LABELS.readAt)
    const isOfWarehouse = bagInfoValue(info, 'Collab-Source') === 'warehouse'
    return {
      formats: this.#formats,
      data: this.#missing.size === 0 ? 'whole' : 'partial',
      coverage: {
        projects: projects ? new Set(projects) : null,
        ...{ formats: this.#formats, held: this.#held, missing: this.#missing, readAt },
        baseUrl: bagInfoValue(info, BAG_LABELS.baseUrl) ?? null,
        // They did not record --as-of either: use the time of the run.
        asOf: timeIn(info, BAG_LABELS.asOf) ?? (isOld && isOfWarehouse ? readAt : null),
      },
    }
  }
}

function projectsIn(coverage: unknown): readonly string[] | null {
  const projects = typeof coverage === 'object' && coverage !== null && 'projects' in coverage ? coverage.projects : []
  return projects === 'all' ? null : textsIn(projects)
}

function textsIn(value: unknown): string[] {
  if (!Array.isArray(value)) throw new TypeError('not a list')
  return value.map(String)
}

function timeIn(info: string, label: string): Date | null {
  const time = new Date(bagInfoValue(info, label) ?? '')
  return Number.isNaN(time.getTime()) ? null : time
}

/** @throws TypeError if it is not an object */
function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(trimmed(line))
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object')
  return value as Record<string, unknown> // just checked
}

function trimmed(line: string): string {
  return line.trimEnd().replace(/,$/, '')
}
