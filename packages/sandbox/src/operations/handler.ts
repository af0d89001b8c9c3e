import type { OperationById, OperationId, OperationParams } from '@collab-etl/contract'
import type { Static, TSchema } from 'typebox'
import type { Right } from '../store/membership.ts'
import type { Serialised } from '../store/serialised.ts'
import type { Frozen, ProjectState } from '../store/state.ts'
import type { Store } from '../store/store.ts'

/** Limits that a service may have and its page does not state. */
export interface Limits {
  /** Most records of one page of archived tasks, whatever `size` asks for. */
  pageCap?: number | undefined
  /** Every page of archived tasks is the first one. */
  ignorePage?: boolean | undefined
  /** Ranges of more days answer 700001. */
  maxEventRangeDays?: number | undefined
  /** Ranges that hold more events answer 700002. */
  maxEventsPerAnswer?: number | undefined
}

/** Ways of listing archived tasks that no sane service has; quirks set them. */
export interface Oddities {
  /** A page beyond the last: the last one again, or an error. Default: an empty page. */
  readonly beyondEnd?: 'clamp' | 'error'
  /** The first page is page 0. */
  readonly zeroBasedPages?: boolean
  /** The list begins with a task that is not archived. */
  readonly openTaskInArchive?: boolean
}

/** `text`: `"true"` and `"false"`. */
export const SUCCESS_FORMS = ['text', 'boolean'] as const

export type SuccessForm = (typeof SUCCESS_FORMS)[number]

/** What a handler works with. */
export interface Context {
  readonly store: Store
  readonly limits: Limits & Oddities
  /** The service's clock, in milliseconds since the epoch. */
  readonly now: () => number
  /** How operations 16, 18, 19 and 21 write `success`: the page's sample has a text, its field table a boolean. */
  readonly success: SuccessForm
}

/** One page of a list. */
export class ListPage<Item> {
  readonly records: readonly Item[]
  /** Records of the whole list; `null` where the answer does not say. */
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

/** Carries an operation out: gives its success answer, or throws a `Refusal`. */
type Handler<Id extends OperationId> = (
  context: Context,
  params: OperationParams<OperationById<Id>>,
) => Success<OperationById<Id>>

/** The handlers of some operations, by id. */
export type Handlers<Id extends OperationId> = { readonly [K in Id]: Handler<K> }

/** An operation that is refused: by a code of its error table, or by its row of status 500 ("… failed"). */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: number | 'failed'

  constructor(code: number | 'failed') {
    super(`refused: ${code}`)
    this.code = code
  }
}

/** The project of a request; where the caller may not do this in it, the operation has failed. */
export function projectFor(context: Context, pid: string, right: Right): Frozen<ProjectState> {
  const project = context.store.find(pid)
  if (!project || !context.store.allows(project, right)) throw new Refusal('failed')
  return project
}

/** What was found; nothing found is refused by this code. */
export function found<T>(value: T | undefined, code: number | 'failed'): T {
  if (value === undefined) throw new Refusal(code)
  return value
}

/** Removes the first element that matches; where there is none, the operation is refused by this code. */
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

/** Times as the service writes them. */
export function timestamp(context: Context): string {
  return new Date(context.now()).toISOString()
}
