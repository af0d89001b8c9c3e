import { parseExactJson } from '@collab-etl/contract/exact-json'
import type { Answer } from '../answer.ts'
import { type Limits, ListPage, type Oddities } from '../operations/handler.ts'
import { Serialised } from '../store/serialised.ts'
import { fields, times } from './fields.ts'
import { caps, paging } from './lists.ts'
import { type Quirk, QuirkError, type QuirkKinds, type QuirkRequest, type Success } from './quirk.ts'
import { refusals } from './refusals.ts'

/** Every quirk, by name. */
const KINDS: QuirkKinds = { ...paging, ...caps, ...fields, ...times, ...refusals }

/** Every quirk: its name with its value, and what it does. */
export const QUIRK_LIST: readonly (readonly [usage: string, describe: string])[] = Object.entries(KINDS).map(
  ([name, { value, describe }]) => {
    if (value === null) return [name, describe]
    return [value.optional ? `${name}[=${value.name}]` : `${name}=${value.name}`, describe]
  },
)

/** Splits `events-cap=100,leave-out=page.content,task.desc`: a part with a dot and without `=` continues the previous quirk. */
export function splitQuirks(list: string): string[] {
  const quirks: string[] = []
  for (const part of list.split(',').map((text) => text.trim())) {
    if (part.includes('.') && !part.includes('=') && quirks.length > 0) quirks.push(`${quirks.pop()},${part}`)
    else if (part !== '') quirks.push(part)
  }
  return quirks
}

/** Active quirks, applied to every answer. If a name is repeated, the last one counts. */
export class Quirks {
  readonly limits: Limits & Oddities
  readonly dropsTokenHeader: boolean
  readonly #quirks: readonly Quirk[]
  readonly #changes: boolean
  #requests = 0

  /**
   * @param list such as `clamp-pages` and `events-cap=100`
   * @throws QuirkError for an unknown quirk or a wrong value
   */
  constructor(list: readonly string[]) {
    this.#quirks = list.map(quirkOf)
    this.limits = Object.assign({}, ...this.#quirks.map(({ limits }) => limits))
    this.dropsTokenHeader = this.#quirks.some((quirk) => quirk.dropsTokenHeader)
    this.#changes = this.#quirks.some((quirk) => quirk.change)
  }

  /** Counts a request. */
  request(about: Omit<QuirkRequest, 'number'>): QuirkRequest {
    return { ...about, number: ++this.#requests }
  }

  /** The answer that replaces the real one, if a quirk has one. */
  refuse(request: QuirkRequest): Answer | undefined {
    for (const quirk of this.#quirks) {
      const answer = quirk.refuse?.(request)
      if (answer) return answer
    }
    return undefined
  }

  /** Applies the quirks to a handler's result. */
  change(request: QuirkRequest, given: unknown): unknown {
    if (!this.#changes) return given
    const success = copyOf(given)
    for (const quirk of this.#quirks) quirk.change?.(request, success)
    return Array.isArray(success.result) ? new ListPage(success.result, success.total) : success.result
  }
}

function quirkOf(text: string): Quirk {
  const [, name = '', given] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? []
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  if (!kind) throw new QuirkError(`unknown quirk "${name}"; known ones: ${Object.keys(KINDS).join(', ')}`)
  if (kind.value === null && given !== undefined) throw new QuirkError(`quirk ${name} takes no value`)
  if (kind.value?.optional === false && !given)
    throw new QuirkError(`quirk ${name} takes a value: ${name}=${kind.value.name}`)
  try {
    return kind.make(given ?? '')
  } catch (error) {
    throw error instanceof QuirkError ? new QuirkError(`quirk ${name} ${error.message}`) : error
  }
}

/** A copy through JSON: results of handlers are read-only and may be serialised already. */
function copyOf(given: unknown): Success {
  const copy = (value: unknown): unknown => parseExactJson(JSON.stringify(value))
  if (given instanceof ListPage) return { result: copy(given.records), total: given.total }
  if (given instanceof Serialised) return { result: parseExactJson(given.toText()), total: given.records }
  return { result: copy(given), total: Array.isArray(given) ? given.length : null }
}
