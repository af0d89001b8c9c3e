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
  parseLine,
  type RestoredBackup,
  type Sent,
  textOfKey,
} from './journal-lines.ts'
import type { JournalLock } from './lock.ts'

/** Ids in one line. */
const IDS_PER_LINE = 1000

/** Where a restore leads. */
export interface Target {
  readonly baseUrl: string
  readonly toProject: string
}

/** The target and the backup that a journal belongs to. */
export interface JournalOwner extends Target {
  readonly source: RestoredBackup
}

/** The journal of restoring a backup into a target: beside the backup, as nothing is ever added to that. */
export function journalPath(backup: string, { baseUrl, toProject }: Target): string {
  const hash = createHash('sha256')
    .update(`${addressOf(baseUrl)}\n${toProject}`)
    .digest('hex')
  return `${backup}.restore-${hash.slice(0, 16)}.jsonl`
}

function addressOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '')
}

/** What a journal says, without writing to it. */
export class JournalState {
  /** By kind and ids. */
  readonly #calls = new Map<string, CallState>()
  /** Ids in the target that the restore did not create, and those that it did. */
  readonly #present = { page: new Set<string>(), task: new Set<string>() }
  /** By kind and new id: the first call that was answered with this id. */
  readonly #owners = new Map<string, CallKey>()
  /** By kind and ids: the parent or group that a record was last sent with. */
  readonly #under = new Map<string, string>()
  #isPresentKnown = false

  /** What a journal says so far; nothing where there is none. */
  static async read(path: string, owner: JournalOwner): Promise<{ state: JournalState; length: number }> {
    const state = new JournalState()
    let length = 0
    if (!(await isThere(path))) return { state, length }
    let number = 0
    for await (const line of linesOf(path)) {
      // The last line of a killed restore may be half a line, which says nothing.
      if (!line.endsWith('\n')) break
      number += 1
      const parsed = parseLine(line)
      if (parsed === null || (number === 1) !== 'journal' in parsed) throw notAJournal(path, number)
      if ('journal' in parsed) checkHead(parsed, path, owner)
      else state.add(parsed)
      length += Buffer.byteLength(line)
    }
    // Bytes that are not UTF-8 have been replaced.
    if (length > (await stat(path)).size) throw notAJournal(path, number)
    return { state, length }
  }

  /** Whether it is known what stood in the target before the first call. */
  get isPresentKnown(): boolean {
    return this.#isPresentKnown
  }

  /** What is known of a call; `undefined` where it was never begun, or surely took no effect. */
  of(key: CallKey): CallState | undefined {
    return this.#calls.get(textOfKey(key))
  }

  /** Calls of which nobody knows whether they took effect. */
  unknown(): Extract<CallState, { state: 'begun' }>[] {
    return [...this.#calls.values()].filter((call) => call.state === 'begun')
  }

  /** The parent or group that a record was created with; `null` if not known. */
  underOf(key: CallKey): string | null {
    return this.#under.get(textOfKey(key)) ?? null
  }

  /** The record that already has this id in the target, in words; `null` if there is none. */
  holderOf(kind: CallKind, newId: string): string | null {
    const owner = this.#owners.get(`${kind} ${newId}`)
    if (owner !== undefined) return `${owner.call} ${owner.id} of the backup`
    const wasPresent = (kind === 'page' || kind === 'task') && this.#present[kind].has(newId)
    return wasPresent ? `a ${kind} that was in the project before` : null
  }

  /** Whether a record of the target was there before, or is accounted for. */
  isAccountedFor(kind: 'page' | 'task', id: string): boolean {
    return this.#present[kind].has(id)
  }

  add(line: Exclude<JournalLine, JournalHead>): void {
    if ('present' in line) {
      if (line.present === 'all') this.#isPresentKnown = true
      else for (const id of line.ids) this.#present[line.present].add(id)
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
 * Maps old ids to new ones, before and after each call. Every line is on the disk before the program goes on: whenever it
 * is killed, the journal lacks at most what one call did.
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

  /** Opens the journal, or begins it, under its lock. */
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

  /** Keeps what stands in the target before the first call. */
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
    // a request follows: two restores would create the same twice
    this.#lock.check()
    await this.#file.writeFile(`${JSON.stringify(line)}\n`)
    await this.#file.datasync()
  }
}

function now(): string {
  return new Date().toISOString()
}

function checkHead(head: JournalHead, path: string, { baseUrl, toProject, source }: JournalOwner): void {
  if (head.version !== 1) throw new UsageError(`${path} was written by another version of this program: use that one`)
  if (head.base_url !== addressOf(baseUrl) || head.to_project !== toProject) {
    throw new UsageError(
      `${path} is the journal of a restore into project ${head.to_project} of ${head.base_url}: choose another file with --journal`,
    )
  }
  if (head.backup === undefined || head.backup.manifest === source.manifest) return
  throw new UsageError(
    `${path} is the journal of a restore of another backup, ${head.backup.name}: choose another file with --journal`,
  )
}

/** @throws UsageError if the path is anything but a plain file, as reading a pipe would never end */
async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (found === null || found.isFile()) return found !== null
  throw new UsageError(`--journal: ${path} is not a plain file: choose another file`)
}

/** Checks, before anything is created, that a journal can be written. @throws UsageError if not */
export async function checkJournalPlace(path: string): Promise<void> {
  await isThere(path)
  try {
    await access(dirname(path), constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new UsageError(
      `the journal cannot be written to the directory ${dirname(path)}: choose another file with --journal`,
      { cause },
    )
  }
}

function notAJournal(path: string, line: number): UsageError {
  return new UsageError(
    `line ${line} of ${path} is none of a journal of collab-export restore. What it says was created cannot be known ` +
      'without it: put back the file as it was, or move it away to create everything anew',
  )
}
