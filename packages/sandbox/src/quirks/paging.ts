import { jsonAnswer } from '../answers/answer.ts'
import { errorBody } from '../answers/messages.ts'
import { numbered, plain, type QuirkKinds } from './quirk.ts'

const ARCHIVED_FAILED = 600027

/** How archived tasks are paged. */
export const paging: QuirkKinds = {
  'page-cap': numbered('at most N archived tasks a page, even if size is larger', (pageCap) => ({
    limits: { pageCap },
  })),
  'max-page-size': numbered('a size above N answers HTTP 400 with code 600027', (most) => ({
    refuse: ({ operation, params }) =>
      operation.id === 'tasks.archived.list' && Number(params['size']) > most
        ? jsonAnswer(400, errorBody(operation, ARCHIVED_FAILED))
        : undefined,
  })),
  'clamp-pages': plain('a page beyond the end repeats the last one', { limits: { beyondEnd: 'clamp' } }),
  'error-beyond-end': plain('a page beyond the end answers 600027', { limits: { beyondEnd: 'error' } }),
  'zero-based-pages': plain('the first page is page=0', { limits: { zeroBasedPages: true } }),
  'ignore-page': plain('every page is the first one', { limits: { ignorePage: true } }),
  'task-in-both-lists': plain('the archived list begins with a task that is not archived', {
    limits: { openTaskInArchive: true },
  }),
}
