import { UsageError } from '@collab-etl/cli'
import { type AnyKind, CALL_KINDS, FURTHER_KINDS } from './item.ts'
import type { CallKey, JournalLine } from './journal-lines.ts'
import type { JournalState } from './journal-state.ts'
import type { UnknownCall } from './look.ts'

/** The outcome of an unknown call, as given by the user. */
export interface Assumption {
  /** `null`: the only unknown call. */
  readonly call: { readonly kind: AnyKind; readonly id: string } | null
  readonly created: boolean
  readonly newId: string | null
  /** The value of the flag. */
  readonly text: string
}

const KINDS = [...CALL_KINDS, ...FURTHER_KINDS].join('|')

const FORM = new RegExp(`^(?:(${KINDS}):(.+)=)?(?:(not-created)|created(?::(.+))?)$`, 's')

/** Records whose new ids later requests need. */
const NAMED_BY_OTHERS: readonly AnyKind[] = ['page', 'task', 'group', 'todo']

/** Reads `--assume [KIND:ID=]created:NEW_ID` and `--assume [KIND:ID=]not-created`. */
export function parseAssumption(text: string): Assumption {
  const match = FORM.exec(text)
  if (match === null) {
    throw new UsageError(`--assume must be [KIND:ID=]created:NEW_ID or [KIND:ID=]not-created, not "${text}"`)
  }
  const [, kind, id, not, newId] = match
  const call = kind === undefined || id === undefined ? null : { kind: kind as AnyKind, id } // the pattern allows no other
  return { call, created: not === undefined, newId: newId ?? null, text }
}

/** The lines that record the assumptions in a journal, each after all of them were checked. */
export function assumedLines(state: JournalState, assumptions: readonly Assumption[]): JournalLine[] {
  const at = new Date().toISOString()
  return callsMeant(state, assumptions).map(([{ created, newId, text }, key]) => {
    return created
      ? { ...key, state: 'done', new: newId, by: 'user', at }
      : { ...key, state: 'failed', why: `--assume ${text}`, at }
  })
}

/** Checks all assumptions before the first is applied: if one is wrong, none is. */
function callsMeant(state: JournalState, assumptions: readonly Assumption[]): (readonly [Assumption, CallKey])[] {
  const meant = assumptions.map((assumption) => [assumption, callMeant(assumption, state.unknown()).key] as const)
  for (const [{ created, newId, text }, key] of meant) {
    if (created && newId === null && NAMED_BY_OTHERS.includes(key.call)) {
      throw new UsageError(
        `--assume ${text}: give the id of the new ${key.call}, which others refer to: created:NEW_ID`,
      )
    }
  }
  return meant
}

function callMeant({ call, text }: Assumption, unknown: readonly UnknownCall[]): UnknownCall {
  const found = unknown.filter(({ key }) => call === null || (key.call === call.kind && key.id === call.id))
  const [only] = found
  if (only && found.length === 1) return only
  const named = unknown.map(({ key }) => `${key.call}:${key.id}`)
  throw new UsageError(
    `--assume ${text}: ${found.length === 0 ? 'no such call is unknown' : 'several calls are unknown; name one'}` +
      (named.length === 0 ? '' : `; unknown: ${named.slice(0, 20).join(', ')}`),
  )
}
