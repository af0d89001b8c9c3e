import type { Difference } from './difference.ts'
import type { CallKind } from './item.ts'

/** First line of a journal: the target and the backup. */
export interface JournalHead {
  readonly journal: 'collab-export restore'
  readonly version: 1
  readonly base_url: string
  readonly to_project: string
  /** Missing in journals of earlier versions. */
  readonly backup?: RestoredBackup
}

/** The backup that a journal belongs to. */
export interface RestoredBackup {
  readonly name: string
  /** SHA-256 of its BagIt manifest, which contains the digests of all files. */
  readonly manifest: string
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

/** Identifies a call by the record that it creates; a comment has the id of its task. */
export interface CallKey {
  readonly call: CallKind
  readonly pid: string
  readonly id: string
}

/** What was sent, to find the result again. `under` is the new parent, the task group, or the new task. */
export interface Sent {
  readonly name: string
  readonly under: string
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

export type JournalLine = JournalHead | PresentLine | EntriesLine | CallLine

/** State of a call. */
export type CallState =
  | { readonly state: 'begun'; readonly key: CallKey; readonly sent: Sent; readonly at: number }
  | { readonly state: 'done'; readonly newId: string | null; readonly differs: readonly Difference[] }

export function textOfKey({ call, pid, id }: CallKey): string {
  return `${call} ${pid} ${id}`
}

/** Parses a line of a journal; `null` for any other text. */
export function parseLine(text: string): JournalLine | null {
  try {
    const line: unknown = JSON.parse(text)
    return isLine(line) ? line : null
  } catch {
    return null
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Whether all fields have the right type, because the file may have been edited. */
function isLine(value: unknown): value is JournalLine {
  if (typeof value !== 'object' || value === null) return false
  const line: Fields = Object.fromEntries(Object.entries(value))
  const areTexts = (...names: string[]) => names.every((name) => typeof line[name] === 'string')
  if ('journal' in line) return line['journal'] === 'collab-export restore' && areTexts('base_url', 'to_project')
  if ('present' in line) {
    if (line['present'] === 'all') return true
    const isKind = line['present'] === 'page' || line['present'] === 'task'
    return isKind && Array.isArray(line['ids']) && line['ids'].every((id) => typeof id === 'string')
  }
  if ('entries' in line) return Array.isArray(line['entries']) && line['entries'].every(isMappedEntry)
  const isCall = areTexts('pid', 'id') && ['page', 'post', 'task', 'comment'].includes(String(line['call']))
  if (!isCall) return false
  if (line['state'] === 'begun') return areTexts('name', 'under', 'at') && !Number.isNaN(Date.parse(String(line['at'])))
  if (line['state'] === 'done') return line['new'] === null || (areTexts('new') && line['new'] !== '')
  return line['state'] === 'failed'
}

function isMappedEntry(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { from, to, by }: Fields = Object.fromEntries(Object.entries(value))
  return (
    typeof from === 'string' && typeof to === 'string' && to !== '' && ['pair', 'name', 'entry'].includes(String(by))
  )
}
