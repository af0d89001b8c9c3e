import type { Answer } from '../answer.ts'
import type { Limits, Oddities } from '../operations/handler.ts'
import type { ServedOperation } from '../operations/served.ts'
import type { Store } from '../store/store.ts'

/** A request with a valid token, before its execution. */
export interface QuirkRequest {
  readonly operation: ServedOperation
  readonly params: Readonly<Record<string, unknown>>
  readonly store: Store
  /** Number of requests since the quirk was set, from 1. */
  readonly number: number
}

/** A successful answer: a copy that a quirk may change. */
export interface Success {
  /** A list of records, or one record. */
  result: unknown
  /** Value of `X-Total-Count`, if the sandbox sends it; `null` omits the header. */
  total: number | null
}

/** One deviation from the documented service. It changes answers, never the store. */
export interface Quirk {
  /** Paging and contents of lists. */
  readonly limits?: Limits & Oddities
  /** Ignore the token in the header. */
  readonly dropsTokenHeader?: boolean
  /** Returns an answer that replaces the real one. */
  refuse?(request: QuirkRequest): Answer | undefined
  /** Changes a successful answer. */
  change?(request: QuirkRequest, success: Success): void
}

/** A quirk that can be selected by name. */
export interface QuirkKind {
  /** The value after `=`: its name, and whether it is optional. `null` if the quirk takes no value. */
  readonly value: { readonly name: string; readonly optional: boolean } | null
  readonly describe: string
  /** Throws `QuirkError` for a wrong value; `''` means none was given. */
  readonly make: (value: string) => Quirk
}

/** Thrown for an unknown quirk or a wrong value. */
export class QuirkError extends Error {
  override readonly name = 'QuirkError'
}

export type QuirkKinds = Readonly<Record<string, QuirkKind>>

/** A quirk without a value. */
export function plain(describe: string, quirk: Quirk): QuirkKind {
  return { value: null, describe, make: () => quirk }
}

/** A quirk with a whole number from 1; with `fallback`, the number is optional. */
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
