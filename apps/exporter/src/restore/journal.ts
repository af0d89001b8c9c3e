import { createHash } from 'node:crypto'
import { access, constants, type FileHandle, open, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { FILE_MODE, flushFolder, linesOf } from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import type { Difference } from './difference.ts'
import type { CallKind } from './item.ts'
import {
  type CallKey,
  type CallState,
  type JournalHead,
  type JournalLine,
  type MappedEntry,
  parseLine,
  type RestoredBackup,
  type Sent,
  textOfKey,
} from './journal-lines.ts'
import type { JournalLock } from './lock.ts'

/** Number of ids per line. */
const IDS_PER_LINE = 1000

/** Target of a restore. */
export interface Target {
  readonly baseUrl: string
  readonly toProject: string
}

/** The target and the backup that a journal belongs to. */
export interface JournalOwner extends Target {
  readonly source: RestoredBackup
}

/** Path of the journal for a backup and a target: beside the backup, which itself never changes. */
export function journalPath(backup: string, { baseUrl, toProject }: Target): string {
  const hash = createHash('sha256')
    .update(`${addressOf(baseUrl)}\n${toProject}`)
    .digest('hex')
  return `${backup}.restore-${hash.slice(0, 16)}.jsonl`
}

function addressOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '')
}

/** The contents of a journal. */
export class JournalState {
  /** By kind and ids. */
  readonly #calls = new Map<string, CallState>()
  /** Ids in the target: those present before the restore, and those created. */
  readonly #present = { page: new Set<string>(), task: new Set<string>() }
  /** By kind and new id: the first call answered with the id. */
  readonly #owners = new Map<string, CallKey>()
  /** By kind and ids: the parent or group of the last request. */
  readonly #under = new Map<string, string>()
  readonly #entries = new Map<string, MappedEntry>()
  #isPresentKnown = false

  /**
   * Reads a journal; a missing file is an empty journal.
   *
   * @throws UsageError if the file is not a journal, or belongs to another backup or target
   */
  static async read(path: string, owner: JournalOwner): Promise<{ state: JournalState; length: number }> {
    const state = new JournalState()
    let length = 0
    if (!(await isThere(path))) return { state, length }
    let number = 0
    for await (const line of linesOf(path)) {
      // A killed restore may leave an incomplete last line, which is ignored.
      if (!line.endsWith('\n')) break
      number += 1
      const parsed = parseLine(line)
      if (parsed === null || (number === 1) !== 'journal' in parsed) throw notAJournal(path, number)
      if ('journal' in parsed) checkHead(parsed, path, owner)
      else state.add(parsed)
      length += Buffer.byteLength(line)
    }
    // Bytes that are not UTF-8 were replaced by longer ones.
    if (length > (await stat(path)).size) throw notAJournal(path, number)
    return { state, length }
  }

  /** Whether the contents of the target before the first call are recorded. */
  get isPresentKnown(): boolean {
    return this.#isPresentKnown
  }

  /** In which group tasks are created, by the id of their group in the backup; empty if groups are not kept apart. */
  get entries(): ReadonlyMap<string, MappedEntry> {
    return this.#entries
  }

  /** The state of a call; `undefined` if it was never begun or had no effect. */
  of(key: CallKey): CallState | undefined {
    return this.#calls.get(textOfKey(key))
  }

  /** Calls whose outcome is unknown. */
  unknown(): Extract<CallState, { state: 'begun' }>[] {
    return [...this.#calls.values()].filter((call) => call.state === 'begun')
  }

  /** The parent or group that a record was created with; `null` if unknown. */
  underOf(key: CallKey): string | null {
    return this.#under.get(textOfKey(key)) ?? null
  }

  /** The record that already has this id in the target, for a message; `null` if there is none. */
  holderOf(kind: CallKind, newId: string): string | null {
    const owner = this.#owners.get(`${kind} ${newId}`)
    if (owner !== undefined) return `${owner.call} ${owner.id} of the backup`
    const wasPresent = (kind === 'page' || kind === 'task') && this.#present[kind].has(newId)
    return wasPresent ? `a ${kind} that existed before` : null
  }

  /** Whether a record of the target existed before the restore, or was created by it. */
  isAccountedFor(kind: 'page' | 'task', id: string): boolean {
    return this.#present[kind].has(id)
  }

  add(line: Exclude<JournalLine, JournalHead>): void {
    if ('present' in line) {
      if (line.present === 'all') this.#isPresentKnown = true
      else for (const id of line.ids) this.#present[line.present].add(id)
      return
    }
    if ('entries' in line) {
      for (const entry of line.entries) this.#entries.set(entry.from, entry)
      return
    }
    const { call, pid, id } = line
    const key = { call, pid, id }
    if (line.state === 'begun') {
      const sent = { name: line.name, under: line.under }
      this.#calls.set(textOfKey(key), { state: 'begun', key, sent, at: Date.parse(line.at) })
      this.#under.set(textOfKey(key), line.under)
    } else if (line.state === 'done') {
      this.#calls.set(textOfKey(key), { state: 'done', newId: line.new, differs: line.differs ?? [] })
      const owned = `${call} ${line.new}`
      if (line.new !== null && !this.#owners.has(owned)) this.#owners.set(owned, key)
      if ((call === 'page' || call === 'task') && line.new !== null) this.#present[call].add(line.new)
    } else {
      this.#calls.delete(textOfKey(key))
    }
  }
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

  private constructor(path: string, state: JournalState, file: FileHandle, lock: JournalLock) {
    this.path = path
    this.state = state
    this.#file = file
    this.#lock = lock
  }

  /** Opens or creates the journal under its lock. */
  static async open(path: string, owner: JournalOwner, lock: JournalLock): Promise<Journal> {
    const file = await open(path, 'a', FILE_MODE)
    try {
      await lock.hold()
      return await Journal.#begin(path, owner, file, lock)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  static async #begin(path: string, owner: JournalOwner, file: FileHandle, lock: JournalLock): Promise<Journal> {
    const { state, length } = await JournalState.read(path, owner)
    const journal = new Journal(path, state, file, lock)
    await truncate(path, length)
    if (length === 0) {
      await journal.#write({
        ...{ journal: 'collab-export restore', version: 1 },
        ...{ base_url: addressOf(owner.baseUrl), to_project: owner.toProject, backup: owner.source },
      })
      await flushFolder(dirname(path))
    }
    return journal
  }

  /** Records the contents of the target before the first call. */
  async keepPresent(pages: readonly string[], tasks: readonly string[]): Promise<void> {
    for (const [kind, ids] of [
      ['page', pages],
      ['task', tasks],
    ] as const) {
      for (let start = 0; start < ids.length; start += IDS_PER_LINE) {
        await this.#add({ present: kind, ids: ids.slice(start, start + IDS_PER_LINE) })
      }
    }
    await this.#add({ present: 'all' })
  }

  /** Records in which groups tasks are created, in one line: a later run uses the same. */
  keepEntries(entries: readonly MappedEntry[]): Promise<void> {
    return this.#add({ entries })
  }

  begun(key: CallKey, sent: Sent): Promise<void> {
    return this.#add({ ...key, state: 'begun', ...sent, at: now() })
  }

  done(
    key: CallKey,
    newId: string | null,
    by: 'answer' | 'look' | 'user',
    differs: readonly Difference[] = [],
  ): Promise<void> {
    return this.#add({ ...key, state: 'done', new: newId, by, at: now(), ...(differs.length > 0 && { differs }) })
  }

  failed(key: CallKey, why: string): Promise<void> {
    return this.#add({ ...key, state: 'failed', why, at: now() })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }

  async #add(line: Exclude<JournalLine, JournalHead>): Promise<void> {
    await this.#write(line)
    this.state.add(line)
  }

  async #write(line: JournalLine): Promise<void> {
    // a request follows: two restores would create the same records
    this.#lock.check()
    await this.#file.writeFile(`${JSON.stringify(line)}\n`)
    await this.#file.datasync()
  }
}

function now(): string {
  return new Date().toISOString()
}

function checkHead(head: JournalHead, path: string, { baseUrl, toProject, source }: JournalOwner): void {
  if (head.version !== 1)
    throw new UsageError(`${path} was written by another version of collab-export; use that version`)
  if (head.base_url !== addressOf(baseUrl) || head.to_project !== toProject) {
    throw new UsageError(
      `${path} is the journal of a restore into project ${head.to_project} of ${head.base_url}; choose another file with --journal`,
    )
  }
  if (head.backup === undefined || head.backup.manifest === source.manifest) return
  throw new UsageError(
    `${path} is the journal of another backup, ${head.backup.name}; choose another file with --journal`,
  )
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

function notAJournal(path: string, line: number): UsageError {
  return new UsageError(
    `line ${line} of ${path} is not a line of a restore journal, so it is unknown which records exist already. ` +
      'Put back the original file, or move it away to create all records again',
  )
}
