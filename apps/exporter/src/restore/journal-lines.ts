import type { Difference } from './difference.ts'
import type { CallKind } from './item.ts'

/** Where a restore leads, as the first line of its journal. */
export interface JournalHead {
  readonly journal: 'collab-export restore'
  readonly version: 1
  readonly base_url: string
  readonly to_project: string
  /** Journals of earlier versions do not name it. */
  readonly backup?: RestoredBackup
}

/** The backup that a journal belongs to. */
export interface RestoredBackup {
  readonly name: string
  /** SHA-256 of its manifest, which holds the digests of all its files. */
  readonly manifest: string
}

/** Records that stood in the target before the first call; and a line that says that these were all. */
type PresentLine = { readonly present: 'page' | 'task'; readonly ids: readonly string[] } | { readonly present: 'all' }

/** A call by what it is to create again: a task's comment has the id of the task. */
export interface CallKey {
  readonly call: CallKind
  readonly pid: string
  readonly id: string
}

/** What a call was sent with, by which its result is found again: `under` is the new parent, the group, or the new task. */
export interface Sent {
  readonly name: string
  readonly under: string
}

/**
 * - `begun`: written before the call. With nothing after it, nobody knows whether it took effect
 * - `done`: it took effect; `new` is the id, `null` where nobody knows it
 * - `failed`: it surely took none
 */
type CallLine = CallKey & { readonly at: string } & (
    | ({ readonly state: 'begun' } & Sent)
    | {
        readonly state: 'done'
        readonly new: string | null
        readonly by: 'answer' | 'look' | 'user'
        /** How the answer differed from what was sent, where it did. */
        readonly differs?: readonly Difference[]
      }
    | { readonly state: 'failed'; readonly why: string }
  )

export type JournalLine = JournalHead | PresentLine | CallLine

/** What is known of a call. */
export type CallState =
  | { readonly state: 'begun'; readonly key: CallKey; readonly sent: Sent; readonly at: number }
  | { readonly state: 'done'; readonly newId: string | null; readonly differs: readonly Difference[] }

export function textOfKey({ call, pid, id }: CallKey): string {
  return `${call} ${pid} ${id}`
}

/** A line of a journal; `null` for what is none. */
export function parseLine(text: string): JournalLine | null {
  try {
    const line: unknown = JSON.parse(text)
    return isLine(line) ? line : null
  } catch {
    return null
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Whether every field that is read from a line has the right type, as somebody may have edited the file. */
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
  const isCall = areTexts('pid', 'id') && ['page', 'post', 'task', 'comment'].includes(String(line['call']))
  if (!isCall) return false
  if (line['state'] === 'begun') return areTexts('name', 'under', 'at') && !Number.isNaN(Date.parse(String(line['at'])))
  if (line['state'] === 'done') return line['new'] === null || (areTexts('new') && line['new'] !== '')
  return line['state'] === 'failed'
}
