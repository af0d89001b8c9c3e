import { WalkError } from '../errors/collab-error.ts'
import type { Answer } from './collect.ts'
import { isRefusal } from './list-end.ts'
import { type Paging, type Probe, type ProbeAnswer, planPaging } from './paging-plan.ts'

/** Requests one page by the service's own number. `retries`: maximum after an answer that is an error. */
export type AskPage<R> = (page: number, size: number, retries?: number) => Promise<Answer<R>>

/** How pages are numbered, once one list has shown it; shared by all lists of one operation in a run. */
export class PagingFinding {
  #known: Paging | undefined
  #first: Promise<unknown> | undefined
  readonly #onFound: (paging: Paging) => void

  /** @param onFound called once */
  constructor(onFound: (paging: Paging) => void) {
    this.#onFound = onFound
  }

  /** The finding of the first search: the running one, or `find`; `undefined` if the list could not show it. */
  async get(find: () => Promise<Paging | undefined>): Promise<Paging | undefined> {
    if (this.#known !== undefined) return this.#known
    if (this.#first !== undefined) {
      await this.#first
      if (this.#known !== undefined) return this.#known
    }
    const search = find()
    // a failing search is a failure of its own list only
    this.#first ??= search.catch(() => undefined)
    const found = await search
    if (found === undefined || this.#known !== undefined) return this.#known
    this.#known = found
    this.#onFound(found)
    return found
  }
}

/** How to read one list: the number of its first page, and that page if it was read already. */
export interface ListPaging<R> extends Paging {
  readonly first?: Answer<R> | undefined
}

/**
 * Finds out how to read a list. Needs no request if the paging is known, else one or two besides the first page.
 * @throws the error of the first page if no page can be read
 */
export async function findPaging<R>(
  finding: PagingFinding,
  { ask, idOf, pageSize }: { ask: AskPage<R>; idOf: (record: R) => string; pageSize: number },
): Promise<ListPaging<R>> {
  let own: { readonly paging: Paging; readonly first: Answer<R> | undefined } | undefined
  const known = await finding.get(async () => {
    const { step, answers } = await search(ask, idOf, pageSize)
    const paging: Paging = step.kind === 'known' ? step : { base: 1, size: step.size }
    own = { paging: { base: paging.base, size: paging.size }, first: answers.get(nameOf(paging.base, paging.size)) }
    return step.kind === 'known' ? own.paging : undefined
  })
  if (known === undefined) return { ...(own?.paging ?? { base: 1, size: pageSize }), first: own?.first }
  const size = Math.min(known.size, pageSize)
  const isOwn = own?.paging.base === known.base && own.paging.size === size
  return { base: known.base, size, first: isOwn ? own?.first : undefined }
}

/** It is unlikely that a list changes this often between requests: the service numbers its pages in another way. */
const MOST_SEARCHES = 3

const UNCLEAR =
  'pages 0 and 1 of the list contradict each other: its first page is unknown, so it may not be read whole'

async function search<R>(ask: AskPage<R>, idOf: (record: R) => string, pageSize: number) {
  const seen: ProbeAnswer[] = []
  const answers = new Map<string, Answer<R>>()
  let searches = 1
  let failure: unknown
  for (;;) {
    const step = planPaging(pageSize, seen)
    if (step.kind === 'refused') throw failure
    if (step.kind === 'changed') {
      if (++searches > MOST_SEARCHES) throw new WalkError('paging_unclear', UNCLEAR)
      seen.length = 0
      continue
    }
    if (step.kind !== 'ask') return { step, answers }
    const { page, size }: Probe = step
    try {
      // an error of the first page may be temporary; a refused probe is an answer
      const answer = await ask(page, size, seen.length === 0 ? undefined : 0)
      answers.set(nameOf(page, size), answer)
      seen.push({ page, size, ids: answer.records.map(idOf), total: answer.total })
    } catch (error) {
      if (!isRefusal(error)) throw error
      failure ??= error
      seen.push({ page, size, ids: null })
    }
  }
}

function nameOf(page: number, size: number): string {
  return `${page} by ${size}`
}
