import { plainText } from '@collab-etl/cli'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { Change } from './changes.ts'
import { join } from './order.ts'
import type { DiffRecord, Records } from './record.ts'

/** Lines around a change, as `diff -u` shows them. */
const CONTEXT_LINES = 3

/** Texts that differ by more lines are shown completely: the cost of the shortest diff grows with the square. */
const MAX_EDITS = 2000

/** The unified diff of a record's content. */
export interface Patch {
  readonly change: Change
  readonly text: string
}

/**
 * The patches of changed contents, and of added and removed records. Reads the records again, so that only one pair is in memory at
 * once, except for records that moved to another project.
 */
export async function* findPatches(changes: readonly Change[], before: Records, after: Records): AsyncGenerator<Patch> {
  const wanted = new Map<string, Change>()
  for (const change of changes) {
    if (change.fields.includes('content') || change.before === null || change.after === null) {
      for (const place of [change.before, change.after]) if (place) wanted.set(key(change, place.pid), change)
    }
  }
  const waiting = new Map<Change, DiffRecord>()
  for await (const [a, b] of join(before, after)) {
    for (const record of a && b ? [b] : [a, b]) {
      const change = record && wanted.get(key(record, record.pid))
      if (!change) continue
      const isHere = (a && b) || change.before === null || change.after === null
      const other = waiting.get(change)
      if (isHere) yield patchOf(change, a, b)
      else if (other === undefined) waiting.set(change, record)
      else {
        waiting.delete(change)
        yield record === a ? patchOf(change, record, other) : patchOf(change, other, record)
      }
    }
  }
}

function key({ kind, id }: { readonly kind: string; readonly id: string }, pid: string): string {
  return JSON.stringify([pid, kind, id])
}

function patchOf(change: Change, a: DiffRecord | null, b: DiffRecord | null): Patch {
  const [from, to] = [a?.content ?? '', b?.content ?? '']
  const names = [label('a', a), label('b', b)] as const
  const options = { context: CONTEXT_LINES, headerOptions: FILE_HEADERS_ONLY }
  const patch = createTwoFilesPatch(...names, from, to, undefined, undefined, { ...options, maxEditLength: MAX_EDITS })
  // Without a first text there is only one edit, found at once.
  const text = patch ?? wholePatch(names, from, to)
  return { change, text }
}

function wholePatch([a, b]: readonly [string, string], from: string, to: string): string {
  const none = { context: 0, headerOptions: FILE_HEADERS_ONLY }
  const removed = createTwoFilesPatch(a, b, from, '', undefined, undefined, none)
  const added = createTwoFilesPatch(a, b, '', to, undefined, undefined, none)
  const bodyOf = (patch: string) => patch.split('\n').slice(3).join('\n')
  const count = (patch: string, side: '-' | '+') =>
    new RegExp(`^@@.*\\${side}(\\d+(?:,\\d+)?)`, 'm').exec(patch)?.[1] ?? '0,0'
  return `--- ${a}\n+++ ${b}\n@@ -${count(removed, '-')} +${count(added, '+')} @@\n${bodyOf(removed)}${bodyOf(added)}`
}

function label(side: 'a' | 'b', record: DiffRecord | null): string {
  if (record === null) return '/dev/null'
  const { pid, kind, id } = record
  return [side, pid, `${kind}s`, id].map((part) => plainText(part).replaceAll('/', '_')).join('/')
}
