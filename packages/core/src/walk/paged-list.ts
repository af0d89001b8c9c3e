import { type AskListPage, endingByError } from './beyond-end.ts'
import { findPaging, type PagingFinding } from './find-paging.ts'
import { type PageOf, type PageThroughOptions, type PagingEnd, pageThrough } from './page-through.ts'

export interface PagedListOptions<R> extends Omit<PageThroughOptions<R>, 'fetch' | 'ask' | 'base' | 'onRepeats'> {
  /** Requests a page by the service's own number. */
  readonly ask: AskListPage<R>
  readonly finding: PagingFinding
  /** Called with the code of an error that means the end of the list. */
  readonly onErrorAtEnd?: ((code: string) => void) | undefined
  /** Called when pages beyond the end repeat a page. */
  readonly onRepeatsAtEnd?: (() => void) | undefined
}

/** Pages through a list, adapting to how the service numbers pages and answers beyond the last one. */
export async function* pageThroughList<R>(
  options: PagedListOptions<R>,
): AsyncGenerator<PageOf<R>, PagingEnd, undefined> {
  const { ask, finding, onErrorAtEnd, onRepeatsAtEnd, ...walk } = options
  const { signal = new AbortController().signal, idOf, pageSize } = walk
  const { base, size, first } = await findPaging(finding, {
    ask: (page, asked, retries) => ask(page, asked, signal, retries),
    ...{ idOf, pageSize },
  })
  const list: AskListPage<R> = (page, asked, stop, retries) => ask(page - 1 + base, asked, stop, retries)
  const pages = endingByError(list, onErrorAtEnd)
  let unused = first
  return yield* pageThrough<R>({
    ...walk,
    fetch: async (page, asked, stop) => {
      const taken = page === 1 && asked === size ? unused : undefined
      unused = undefined
      return taken === undefined ? await pages(page, asked, stop) : pages.note(page, asked, taken)
    },
    ask: list,
    ...{ base, pageSize: size, onRepeats: onRepeatsAtEnd },
  })
}
