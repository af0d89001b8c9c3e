import { hash } from 'node:crypto'
import { access, constants, type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FILE_MODE, flushFolder, linesOf } from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import type { Difference } from './difference.ts'
import {
  type CallKey,
  countLine,
  type JournalHead,
  type JournalLine,
  type MappedEntry,
  openLine,
  parseCount,
  type Sent,
  sealLine,
} from './journal-lines.ts'
import { JournalState } from './journal-state.ts'
import type { JournalLock } from './lock.ts'

/** Number of ids per line. */
const IDS_PER_LINE = 1000

const COUNT_BYTES = countLine(0).length

/** Target of a restore. */
export interface Target {
  readonly baseUrl: string
  readonly toProject: string
}

/** What a journal belongs to. */
export interface JournalOwner extends Target {
  /** The project of the backup. */
  readonly fromProject: string
}

/** Path of the journal in the directory of the backups, which share it. */
export function journalPath(backup: string, { baseUrl, toProject, fromProject }: JournalOwner): string {
  const digest = hash('sha256', `${addressOf(baseUrl)}\n${toProject}\n${fromProject}`)
  return join(dirname(backup), `restore-${digest.slice(0, 16)}.jsonl`)
}

function addressOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '')
}

/** A journal up to its last whole line. */
export interface ReadJournal {
  readonly state: JournalState
  /** In bytes. */
  readonly length: number
  /** Lines after the first, which holds their number. */
  readonly lines: number
  /** Checksum of the last line. */
  readonly sum: string
}

/**
 * Reads a journal; a missing file is an empty journal.
 *
 * @throws UsageError if the file is not a journal, is damaged, or belongs to another restore
 */
export async function readJournal(path: string, owner: JournalOwner): Promise<ReadJournal> {
  const state = new JournalState(owner.fromProject === owner.toProject)
  let counted: number | null = null
  let [length, lines, sum] = [0, 0, '']
  if (!(await isThere(path))) return { state, length, lines, sum }
  // the path may contain links
  for await (const text of linesOf(await realpath(path))) {
    // A killed restore may leave an incomplete last line; no request followed it.
    if (!text.endsWith('\n')) {
      if (counted === null && !countLine(0).startsWith(text)) throw notAJournal(path)
      break
    }
    length += Buffer.byteLength(text)
    if (counted === null) {
      counted = parseCount(text)
      if (counted !== null) continue
      if (/^\{"journal":"collab-export restore"/.test(text)) throw otherVersion(path)
      throw notAJournal(path)
    }
    const opened = openLine(text, sum)
    if (opened === null) throw damaged(`line ${lines + 2} of ${path} is damaged or was edited`)
    if (lines === 0)
      checkHead(opened.line as JournalHead, path, owner) // the first line that is written after the count
    else state.add(opened.line as JournalLine) // unchanged since it was written
    lines += 1
    sum = opened.sum
  }
  if (lines < (counted ?? 0)) throw damaged(`the end of ${path} is missing: it has ${lines} of ${counted} lines`)
  // Bytes that are not UTF-8 were replaced by longer ones.
  if (length > (await stat(path)).size) throw damaged(`${path} is damaged`)
  return { state, length, lines, sum }
}

/**
 * Records each call before and after it is made, with old and new id. Every line is on disk before the program continues: if it is
 * killed, the journal lacks the outcome of at most one call.
 */
export class Journal implements AsyncDisposable {
  readonly path: string
  readonly state: JournalState
  readonly #file: FileHandle
  readonly #lock: JournalLock
  #length: number
  #lines: number
  #sum: string

  private constructor(path: string, { state, length, lines, sum }: ReadJournal, file: FileHandle, lock: JournalLock) {
    this.path = path
    this.state = state
    this.#file = file
    this.#lock = lock
    this.#length = length
    this.#lines = lines
    this.#sum = sum
  }

  /** Opens or creates the journal under its lock. */
  static async open(path: string, owner: JournalOwner, lock: JournalLock): Promise<Journal> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT, FILE_MODE)
    try {
      await lock.hold()
      const journal = new Journal(path, await readJournal(path, owner), file, lock)
      await file.truncate(journal.#length)
      if (journal.#lines === 0) await journal.#begin(owner)
      return journal
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async #begin({ baseUrl, fromProject, toProject }: JournalOwner): Promise<void> {
    await this.#writeCount()
    this.#length = COUNT_BYTES
    const head: JournalHead = {
      journal: 'collab-export restore',
      version: 2,
      base_url: addressOf(baseUrl),
      from_project: fromProject,
      to_project: toProject,
      at: now(),
    }
    await this.#write(head)
    await flushFolder(dirname(this.path))
  }

  /** Records the contents of the target before the first call. */
  async keepPresent(present: Readonly<Record<'page' | 'task', readonly string[]>>): Promise<void> {
    for (const kind of ['page', 'task'] as const) {
      const ids = present[kind]
      for (let start = 0; start < ids.length; start += IDS_PER_LINE) {
        await this.add({ present: kind, ids: ids.slice(start, start + IDS_PER_LINE) })
      }
    }
    await this.add({ present: 'all' })
  }

  /** Records in which groups tasks are created, in one line: a later run uses the same. */
  keepEntries(entries: readonly MappedEntry[]): Promise<void> {
    return this.add({ entries })
  }

  begun(key: CallKey, sent: Sent): Promise<void> {
    return this.add({ ...key, state: 'begun', ...sent, at: now() })
  }

  done(
    key: CallKey,
    newId: string | null,
    by: 'answer' | 'look' | 'user',
    differs: readonly Difference[] = [],
  ): Promise<void> {
    return this.add({ ...key, state: 'done', new: newId, by, at: now(), ...(differs.length > 0 && { differs }) })
  }

  written(tid: string): Promise<void> {
    return this.add({ written: tid })
  }

  failed(key: CallKey, why: string): Promise<void> {
    return this.add({ ...key, state: 'failed', why, at: now() })
  }

  finished(backup: string): Promise<void> {
    return this.add({ finished: backup, at: now() })
  }

  again(): Promise<void> {
    return this.add({ again: true, at: now() })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }

  async add(line: JournalLine): Promise<void> {
    await this.#write(line)
    this.state.add(line)
  }

  async #write(line: JournalHead | JournalLine): Promise<void> {
    // a request follows: two restores would create the same records
    this.#lock.check()
    const { text, sum } = sealLine(line, this.#sum)
    await this.#writeAt(text, this.#length)
    await this.#file.datasync()
    this.#length += Buffer.byteLength(text)
    this.#lines += 1
    this.#sum = sum
    // Written after the line and flushed with the next one: it must never count a line that is not on disk.
    await this.#writeCount()
  }

  #writeCount(): Promise<void> {
    return this.#writeAt(countLine(this.#lines), 0)
  }

  async #writeAt(text: string, position: number): Promise<void> {
    const bytes = Buffer.from(text)
    let written = 0
    while (written < bytes.length) {
      const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written, position + written)
      written += bytesWritten
    }
  }
}

function now(): string {
  return new Date().toISOString()
}

function checkHead(head: JournalHead, path: string, { baseUrl, toProject, fromProject }: JournalOwner): void {
  if (head.version !== 2) throw otherVersion(path)
  const isOwn = head.base_url === addressOf(baseUrl) && head.to_project === toProject
  if (isOwn && head.from_project === fromProject) return
  throw new UsageError(
    `${path} is the journal of a restore of project ${head.from_project} into project ${head.to_project} of ${head.base_url}; ` +
      'choose another file with --journal',
  )
}

function otherVersion(path: string): UsageError {
  return new UsageError(`${path} was written by another version of collab-export; use that version`)
}

/** @throws UsageError if the path is not a regular file: reading a pipe would never end */
async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (found === null || found.isFile()) return found !== null
  throw new UsageError(`--journal: ${path} is not a regular file; choose another one`)
}

/**
 * Checks that a journal can be written, before any record is created.
 *
 * @throws UsageError if it cannot
 */
export async function checkJournalPlace(path: string): Promise<void> {
  await isThere(path)
  try {
    await access(dirname(path), constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new UsageError(
      `the journal cannot be written to the directory ${dirname(path)}; choose another file with --journal`,
      { cause },
    )
  }
}

const REPAIR =
  'put back the latest undamaged copy of the file, if no restore ran since it was made, or restore into an empty project'

function notAJournal(path: string): UsageError {
  return new UsageError(
    `${path} is not the journal of a restore, or its first line is damaged. If it is the wrong file, name the right one, or a new one, with --journal. If it is the journal, ${REPAIR}`,
  )
}

function damaged(what: string): UsageError {
  return new UsageError(`${what}, so it is unknown which records exist already: ${REPAIR}`)
}
