import { hash } from 'node:crypto'
import type { Difference } from './difference.ts'
import type { AnyKind } from './item.ts'

/** The target and the source project that a journal belongs to. All backups of the project share it. */
export interface JournalHead {
  readonly journal: 'collab-export restore'
  readonly version: 2
  readonly base_url: string
  readonly from_project: string
  readonly to_project: string
  readonly at: string
}

/** Ids of records in the target before the first call; `all` ends the list. */
type PresentLine = { readonly present: 'page' | 'task'; readonly ids: readonly string[] } | { readonly present: 'all' }

/** How the new group of a task group was found: named by a pair, by its own name, or the one of `--entry`. */
export type MappedBy = 'pair' | 'name' | 'entry'

/** The group `to` in which tasks of the group `from` are created; `from` is empty for tasks without a group. */
export interface MappedEntry {
  readonly from: string
  readonly to: string
  readonly by: MappedBy
}

/** Written before the first task; a later line replaces groups of an earlier one. */
interface EntriesLine {
  readonly entries: readonly MappedEntry[]
}

/** Everything that can be created from the backup of this name has been created. */
export interface FinishedLine {
  readonly finished: string
  readonly at: string
}

/** All records are created once more: earlier calls do not count. */
interface AgainLine {
  readonly again: true
  readonly at: string
}

/**
 * Identifies a call by the record that it creates; a comment with the attributes of a task has the id of the task. A value within a record has
 * the id of the record, a slash and its own id.
 */
export interface CallKey {
  readonly call: AnyKind
  readonly id: string
}

/** What was sent, to find the result again. `under` is the new parent, the task group, or the new task or post; of an event, its times. */
export interface Sent {
  readonly name: string
  readonly under: string
  /** `textDigest` of the text. */
  readonly text: string
  /** For a comment whose task an earlier run created, and on which people may have commented since. */
  readonly isLater?: boolean | undefined
}

/**
 * - `begun`: written before the call. If it is the last line of a call, the outcome is unknown
 * - `done`: the record was created; `new` is its id, `null` if unknown
 * - `failed`: no record was created
 */
type CallLine = CallKey & { readonly at: string } & (
    | ({ readonly state: 'begun' } & Sent)
    | {
        readonly state: 'done'
        readonly new: string | null
        readonly by: 'answer' | 'look' | 'user'
        /** Differences between request and answer, if any. */
        readonly differs?: readonly Difference[]
      }
    | { readonly state: 'failed'; readonly why: string }
  )

/** All values of a task were written: those that change later are not. */
interface WrittenLine {
  readonly written: string
}

/** A line after the head. */
export type JournalLine = PresentLine | EntriesLine | FinishedLine | AgainLine | WrittenLine | CallLine

/** State of a call. */
export type CallState =
  | { readonly state: 'begun'; readonly key: CallKey; readonly sent: Sent }
  | { readonly state: 'done'; readonly newId: string | null; readonly differs: readonly Difference[] }

export function textOfKey({ call, id }: CallKey): string {
  return `${call} ${id}`
}

/** Identifies a text that was sent: a newer backup may have another one. */
export function textDigest(text: string): string {
  return hash('sha256', text)
}

const SUM_DIGITS = 16
const SEALED = new RegExp(`^(.*),"sum":"([0-9a-f]{${SUM_DIGITS}})"\\}\\n$`, 's')

/** A line with its checksum, which covers the checksum of the previous line: a missing, exchanged or repeated line is found. */
export function sealLine(line: object, previous: string): { readonly text: string; readonly sum: string } {
  const text = JSON.stringify(line)
  const sum = sumOf(text, previous)
  return { text: `${text.slice(0, -1)},"sum":"${sum}"}\n`, sum }
}

/** The contents of a line as they were written; `null` if it does not follow the previous line unchanged. */
export function openLine(text: string, previous: string): { readonly line: object; readonly sum: string } | null {
  const [, beginning, sum] = SEALED.exec(text) ?? []
  if (beginning === undefined || sum === undefined || sumOf(`${beginning}}`, previous) !== sum) return null
  return { line: JSON.parse(`${beginning}}`), sum }
}

function sumOf(text: string, previous: string): string {
  return hash('sha256', `${previous}${text}`).slice(0, SUM_DIGITS)
}

/** The first line, before the head: the number of lines shows if the end of the file is missing. Its length is fixed, so that it can be overwritten. */
export function countLine(lines: number): string {
  return sealLine({ lines: String(lines).padStart(12, '0') }, '').text
}

/** The number of lines that follow, at least; `null` for any other line. */
export function parseCount(text: string): number | null {
  const { line } = openLine(text, '') ?? {}
  return line !== undefined && 'lines' in line ? Number(line.lines) : null
}
