import type { OperationParams } from '@collab-etl/contract'
import type { Static, TSchema } from 'typebox'
import type { Serialised } from '../store/serialised.ts'
import type { Frozen, ProjectState } from '../store/state.ts'
import type { Store } from '../store/store.ts'
import type { Right } from '../store/views.ts'
import type { Extension, ServedId, ServedOperation } from './served.ts'

/** Limits that a service may have without documenting them. Default: none. */
export interface Limits {
  /** Largest page of archived tasks, even if `size` is larger. */
  pageCap?: number | undefined
  /** Return the first page of archived tasks for every `page`. */
  ignorePage?: boolean | undefined
  /** Event ranges of more days are answered with code 700001. */
  maxEventRangeDays?: number | undefined
  /** Event ranges with more events are answered with code 700002. */
  maxEventsPerAnswer?: number | undefined
}

/** Unusual ways of listing archived tasks, set by quirks. */
export interface Oddities {
  /** Answer to a page beyond the last: the last page, or an error. Default: an empty page. */
  readonly beyondEnd?: 'clamp' | 'error'
  /** The first page is page 0. */
  readonly zeroBasedPages?: boolean
  /** The list begins with a task that is not archived. */
  readonly openTaskInArchive?: boolean
}

/** `text`: `"true"` and `"false"`. */
export const SUCCESS_FORMS = ['text', 'boolean'] as const

export type SuccessForm = (typeof SUCCESS_FORMS)[number]

/** Input of every handler. */
export interface Context {
  readonly store: Store
  readonly limits: Limits & Oddities
  /** The service's clock, in milliseconds since the epoch. */
  readonly now: () => number
  /** Type of `success` in the answers of operations 16, 18, 19 and 21: the documented sample has a string, the field table a boolean. */
  readonly success: SuccessForm
  /** What is offered beyond the documented service. */
  readonly extended: ReadonlySet<Extension>
}

/** One page of a list. */
export class ListPage<Item> {
  readonly records: readonly Item[]
  /** Length of the whole list; `null` if the answer does not state it. */
  readonly total: number | null

  constructor(records: readonly Item[], total: number | null) {
    this.records = records
    this.total = total
  }
}

type Success<O extends { readonly success: unknown }> = O['success'] extends {
  kind: 'array'
  item: infer Item extends TSchema
}
  ? Serialised | Frozen<Static<Item>[]> | ListPage<Frozen<Static<Item>>>
  : O['success'] extends { kind: 'object'; schema: infer Schema extends TSchema }
    ? Frozen<Static<Schema>>
    : never

/** Executes an operation: returns its answer, or throws a `Refusal`. */
type Handler<Id extends ServedId> = (context: Context, params: OperationParams<ById<Id>>) => Success<ById<Id>>

type ById<Id extends ServedId> = Extract<ServedOperation, { id: Id }>

/** The handlers of some operations, by id. */
export type Handlers<Id extends ServedId> = { readonly [K in Id]: Handler<K> }

/** Thrown by handlers to answer with an error: a code of the operation, or `failed` for its code of status 500 ("… failed"). */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: number | 'failed'
  /** HTTP status of a code that the operation does not have. */
  readonly status: number | undefined

  constructor(code: number | 'failed', status?: number) {
    super(`refused: ${code}`)
    this.code = code
    this.status = status
  }
}

/** Code and status of a missing record for which no code is known. */
const NOT_FOUND = 404

/** The record; throws a `Refusal` with HTTP 404 if there is none, for operations whose codes are not known. */
export function existing<T>(value: T | undefined): T {
  if (value === undefined) throw new Refusal(NOT_FOUND, NOT_FOUND)
  return value
}

/** The project of a request. Throws a `Refusal` (`failed`) if it is missing or the caller lacks the right. */
export function projectFor(context: Context, pid: string, right: Right): Frozen<ProjectState> {
  const project = context.store.find(pid)
  if (!project || !context.store.allows(project, right)) throw new Refusal('failed')
  return project
}

/** The value; throws a `Refusal` with `code` if it is `undefined`. */
export function found<T>(value: T | undefined, code: number | 'failed'): T {
  if (value === undefined) throw new Refusal(code)
  return value
}

/** Removes the first element that matches; throws a `Refusal` with `code` if none does. */
export function removeFirst<T>(list: T[], matches: (item: T) => boolean, code: number | 'failed'): void {
  const index = list.findIndex(matches)
  if (index < 0) throw new Refusal(code)
  list.splice(index, 1)
}

/** The answer of operations 16, 18, 19 and 21. */
export function successOf({ success }: Context, done: boolean): { success: boolean | 'true' | 'false' } {
  if (success === 'boolean') return { success: done }
  return { success: done ? 'true' : 'false' }
}

/** The current time, as the service writes times. */
export function timestamp(context: Context): string {
  return new Date(context.now()).toISOString()
}
