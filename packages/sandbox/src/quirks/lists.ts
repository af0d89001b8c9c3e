import { errorBody, jsonAnswer } from '../answer.ts'
import type { ServedId } from '../operations/served.ts'
import { numbered, plain, type Quirk, type QuirkKinds } from './quirk.ts'

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

const DAY = 86_400_000
const FOLDER = 1

/** Lists that are truncated without notice. */
export const caps: QuirkKinds = {
  'events-cap': numbered('an answer holds at most N events', (most) => cut(['events.list'], most)),
  'tasks-cap': numbered('the task list holds at most N tasks', (most) => cut(['tasks.list'], most)),
  'pages-cap': numbered('the page list holds at most N pages', (most) => cut(['pages.list'], most)),
  'comments-cap': numbered('a comment list holds at most N comments', (most) =>
    cut(['posts.comments.list', 'files.comments.list', 'tasks.comments.list'], most),
  ),
  'lists-cap': numbered(
    'an answer of any list holds at most N records',
    (most) => ({ limits: { pageCap: most }, ...cut('all', most) }),
    100,
  ),
  'folder-in-itself': plain('the first folder of each project lists itself', {
    change({ operation, params, store }, success) {
      if (operation.id !== 'files.list' || !Array.isArray(success.result)) return
      const folder = store.find(String(params['pid']))?.files.find(({ file }) => file.type === FOLDER)?.file
      if (folder && folder.fid === params['folder_id']) success.result.push({ ...folder, folder_name: folder.name })
    },
  }),
  'events-wide-empty': numbered(
    'a range of more than N days holds no events',
    (days) => ({
      change({ operation, params }, success) {
        if (operation.id !== 'events.list' || Number(params['end']) - Number(params['start']) <= days * DAY) return
        success.result = []
        success.total = null
      },
    }),
    31,
  ),
}

function cut(operations: readonly ServedId[] | 'all', most: number): Quirk {
  return {
    change({ operation }, success) {
      if (operations !== 'all' && !operations.includes(operation.id)) return
      if (!Array.isArray(success.result)) return
      success.result = success.result.slice(0, most)
      success.total = null
    },
  }
}
