import type { CallKind } from './item.ts'

/** Where a restore leads, as the first line of its journal. */
export interface JournalHead {
  readonly journal: 'collab-export restore'
  readonly version: 1
  readonly base_url: string
  readonly to_project: string
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
    | { readonly state: 'done'; readonly new: string | null; readonly by: 'answer' | 'look' | 'user' }
    | { readonly state: 'failed'; readonly why: string }
  )

export type JournalLine = JournalHead | PresentLine | CallLine

/** What is known of a call. */
export type CallState =
  | { readonly state: 'begun'; readonly key: CallKey; readonly sent: Sent; readonly at: number }
  | { readonly state: 'done'; readonly newId: string | null }

export function textOfKey({ call, pid, id }: CallKey): string {
  return `${call} ${pid} ${id}`
}

/** A line of a journal; `null` for what is none. */
export function parseLine(text: string): JournalLine | null {
  try {
    const line: unknown = JSON.parse(text)
    // The journal is the program's own, and for its owner only; a line says by its fields what it is.
    if (typeof line === 'object' && line !== null && ('journal' in line || 'present' in line || 'state' in line)) {
      return line as JournalLine
    }
    return null
  } catch {
    return null
  }
}
