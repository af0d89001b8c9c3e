import { isOfList, type RecordLoss } from '../loss.ts'
import type { Answer } from './collect.ts'
import { latestOf } from './duplicate.ts'
import { firstWindow, OVERFULL, planWindow, type Window, type WindowObservation, windowOf } from './window-plan.ts'

/** Records of one window that no window before it had. */
export interface WindowOf<R> {
  /** The milliseconds that it answers for, both inclusive. */
  readonly first: number
  readonly last: number
  readonly records: readonly R[]
  readonly losses: readonly RecordLoss[]
}

/** How a walk over windows ended: always at the end of its range. */
export interface WindowsEnd {
  /** Windows that were answered. */
  readonly windows: number
  /** Different records handed on. */
  readonly read: number
}

export interface WalkWindowsOptions<R> {
  readonly from: number
  readonly to: number
  /** Asks for a window; `null` when it holds more than `limit` records. */
  readonly fetch: (window: Window, limit: number) => Promise<Answer<R> | null>
  /** Whether an error is one that a narrower window may cure. */
  readonly isRefusal: (error: unknown) => boolean
  /** Whether such an error is a failure that says nothing of the window. Default: no. */
  readonly isFailure?: (error: unknown) => boolean
  readonly keyOf: (record: R) => string
  /** Whether a record belongs to the range: windows ask for a little more. */
  readonly belongs: (record: R) => boolean
}

type Result<R> =
  | { readonly answer: Answer<R> }
  | { readonly error: unknown; readonly kind: 'refused' | 'failed' }
  | { readonly overfull: true }

/** Walks a range of time by the rule of `window-plan.ts`. */
export async function* walkWindows<R>(
  options: WalkWindowsOptions<R>,
): AsyncGenerator<WindowOf<R>, WindowsEnd, undefined> {
  const seen = new Set<string>()
  let windows = 0
  let plan = firstWindow(options.from, options.to)
  for (;;) {
    const window = windowOf(plan)
    const result = await ask(window, options)
    if ('answer' in result) {
      windows += 1
      const news = select(result.answer, seen, options)
      if (news.records.length + news.losses.length > 0) yield { first: window.first, last: window.last, ...news }
    }
    const step = planWindow(plan, observation(result))
    if (step.kind === 'window') plan = step.plan
    else if ('error' in result) throw result.error
    else return { windows, read: seen.size }
  }
}

async function ask<R>(window: Window, { fetch, isRefusal, isFailure }: WalkWindowsOptions<R>): Promise<Result<R>> {
  try {
    const answer = await fetch(window, window.first === window.last ? Infinity : OVERFULL)
    return answer === null ? { overfull: true } : { answer }
  } catch (error) {
    if (isRefusal(error)) return { error, kind: isFailure?.(error) === true ? 'failed' : 'refused' }
    throw error
  }
}

function observation<R>(result: Result<R>): WindowObservation {
  if ('answer' in result) return { kind: 'answered', count: result.answer.records.length }
  return { kind: 'error' in result ? result.kind : 'overfull' }
}

/** The records of an answer that belong to the range and were not handed on before. */
function select<R>(answer: Answer<R>, seen: Set<string>, { keyOf, belongs }: WalkWindowsOptions<R>) {
  const { latest, losses } = latestOf(answer.records, keyOf)
  const news = new Map([...latest].filter(([key, record]) => !seen.has(key) && belongs(record)))
  for (const key of news.keys()) seen.add(key)
  const lost = [...answer.losses, ...losses].filter((loss) => isOfList(loss) || news.has(loss.recordKey))
  return { records: [...news.values()], losses: lost }
}
