import type { KnownOperation } from '@collab-etl/contract'
import type { Limits, Oddities } from '../operations/handler.ts'
import type { Answer } from '../server/answer.ts'
import type { Store } from '../store/store.ts'

/** A request with the right token that is about to be carried out. */
export interface QuirkRequest {
  readonly operation: KnownOperation
  readonly params: Readonly<Record<string, unknown>>
  readonly store: Store
  /** Its number since the quirk began, from 1. */
  readonly number: number
}

/** A successful answer: a copy that a quirk may change. */
export interface Success {
  /** A list of records, or one record. */
  result: unknown
  /** What `X-Total-Count` says; `null` for no such header. */
  total: number | null
}

/** One way in which the service differs from its page. It changes answers, never the store. */
export interface Quirk {
  /** How lists are paged and what they hold. */
  readonly limits?: Limits & Oddities
  /** The token in the header is not seen. */
  readonly dropsTokenHeader?: boolean
  /** An answer in place of the real one. */
  refuse?(request: QuirkRequest): Answer | undefined
  /** Changes a successful answer. */
  change?(request: QuirkRequest, success: Success): void
}

/** A quirk by name. */
export interface QuirkKind {
  /** What stands after `=`: its name, and whether it may be left out. `null` where the quirk takes no value. */
  readonly value: { readonly name: string; readonly optional: boolean } | null
  readonly describe: string
  /** Throws `QuirkError` for a value that makes no sense; `''` where none was given. */
  readonly make: (value: string) => Quirk
}

/** A list of quirks cannot be followed. */
export class QuirkError extends Error {
  override readonly name = 'QuirkError'
}

export type QuirkKinds = Readonly<Record<string, QuirkKind>>

/** A quirk without a value. */
export function plain(describe: string, quirk: Quirk): QuirkKind {
  return { value: null, describe, make: () => quirk }
}

/** A quirk with a whole number from 1; `fallback` where the number may be left out. */
export function numbered(describe: string, make: (value: number) => Quirk, fallback?: number): QuirkKind {
  return {
    value: { name: 'N', optional: fallback !== undefined },
    describe: fallback === undefined ? describe : `${describe} (default ${fallback})`,
    make: (value) => make(value === '' && fallback !== undefined ? fallback : wholeNumber(value)),
  }
}

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new QuirkError(`takes a whole number from 1, not "${text}"`)
  return Number(text)
}

/** The records of an answer. */
export function recordsOf({ result }: Success): Record<string, unknown>[] {
  const records: unknown[] = Array.isArray(result) ? result : [result]
  return records.filter(isRecord)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
