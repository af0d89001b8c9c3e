import type { AnyKind } from './item.ts'
import {
  type CallKey,
  type CallState,
  type FinishedLine,
  type JournalLine,
  type MappedEntry,
  textOfKey,
} from './journal-lines.ts'

/** The contents of a journal. */
export class JournalState {
  /** By kind and old id. */
  readonly #calls = new Map<string, CallState>()
  /** Ids in the target: those present before the restore, and those created. */
  readonly #present = { page: new Set<string>(), task: new Set<string>() }
  /** By kind and new id: the first call answered with the id. */
  readonly #owners = new Map<string, CallKey>()
  /** By kind and old id: the parent or group of the last request. */
  readonly #under = new Map<string, string>()
  readonly #entries = new Map<string, MappedEntry>()
  /** By kind and new id: what was created. */
  readonly #created = new Set<string>()
  /** Tasks whose values were all written. */
  readonly #written = new Set<string>()
  readonly #isIntoSource: boolean
  #isPresentKnown = false
  #finished: FinishedLine | null = null

  /** @param isIntoSource whether the target is the project of the backups: newer backups then contain the created records */
  constructor(isIntoSource = false) {
    this.#isIntoSource = isIntoSource
  }

  /** Whether the contents of the target before the first call are recorded. */
  get isPresentKnown(): boolean {
    return this.#isPresentKnown
  }

  /** Whether no record was created, or all are to be created again. */
  get isEmpty(): boolean {
    return this.#calls.size === 0
  }

  /** When everything was created, and from which backup; `null` if a call was begun since. */
  get finished(): FinishedLine | null {
    return this.#finished
  }

  /** Whether task groups were created, so that groups are kept apart. */
  get hasGroups(): boolean {
    return [...this.#calls.keys()].some((key) => key.startsWith('group '))
  }

  /** A task of the target; `undefined` if none is known. */
  get anyTask(): string | undefined {
    const [task] = this.#present.task
    return task
  }

  /** The new group of tasks, by the id of their group in the backup; empty if groups are not kept apart. */
  get entries(): ReadonlyMap<string, MappedEntry> {
    return this.#entries
  }

  /** The state of a call; `undefined` if it was never begun or had no effect. */
  of(key: CallKey): CallState | undefined {
    return this.#calls.get(textOfKey(key)) ?? (this.#isIntoSource ? this.#ofCreated(key) : undefined)
  }

  /** A record that is in the backup because this restore created it before the backup was made. */
  #ofCreated({ call, id }: CallKey): CallState | undefined {
    const isCreated = this.#created.has(`${call === 'comment' ? 'task' : call} ${id}`)
    return isCreated ? { state: 'done', newId: call === 'comment' ? null : id, differs: [] } : undefined
  }

  /** Whether a value was written. */
  has({ kind: call, id }: { readonly kind: AnyKind; readonly id: string }): boolean {
    return this.of({ call, id })?.state === 'done'
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
  holderOf(kind: AnyKind, newId: string): string | null {
    const owner = this.#owners.get(`${kind} ${newId}`)
    if (owner !== undefined) return `${owner.call} ${owner.id} of the backup`
    const wasPresent = (kind === 'page' || kind === 'task') && this.#present[kind].has(newId)
    return wasPresent ? `a ${kind} that existed before` : null
  }

  /** Whether a record of the target existed before the restore, or was created by it. */
  isAccountedFor(kind: 'page' | 'task', id: string): boolean {
    return this.#present[kind].has(id)
  }

  /** Whether all values of a task of the backup were written by an earlier run, or an earlier step of this one. */
  isWritten(tid: string): boolean {
    return this.#written.has(tid)
  }

  add(line: JournalLine): void {
    if ('present' in line) {
      if (line.present === 'all') this.#isPresentKnown = true
      else for (const id of line.ids) this.#present[line.present].add(id)
    } else if ('entries' in line) {
      for (const entry of line.entries) this.#entries.set(entry.from, entry)
    } else if ('finished' in line) {
      this.#finished = line
    } else if ('written' in line) {
      this.#written.add(line.written)
    } else if ('again' in line) {
      for (const each of [this.#calls, this.#under, this.#entries, this.#created, this.#written]) each.clear()
      this.#isPresentKnown = false
      this.#finished = null
    } else {
      this.#addCall(line)
    }
  }

  #addCall(line: Extract<JournalLine, CallKey>): void {
    const { call, id } = line
    const key = { call, id }
    if (line.state === 'begun') {
      this.#calls.set(textOfKey(key), { state: 'begun', key, sent: line })
      this.#under.set(textOfKey(key), line.under)
      this.#finished = null
    } else if (line.state === 'done') {
      this.#calls.set(textOfKey(key), { state: 'done', newId: line.new, differs: line.differs ?? [] })
      const owned = `${call} ${line.new}`
      if (line.new !== null) this.#created.add(owned)
      if (line.new !== null && !this.#owners.has(owned)) this.#owners.set(owned, key)
      if ((call === 'page' || call === 'task') && line.new !== null) this.#present[call].add(line.new)
    } else {
      this.#calls.delete(textOfKey(key))
    }
  }
}
