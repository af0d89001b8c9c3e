import type { OperationId } from '@collab-etl/contract'
import { numbered, plain, type Quirk, type QuirkKinds } from './quirk.ts'

const DAY = 86_400_000

/** Lists that are truncated without notice. */
export const caps: QuirkKinds = {
  'events-cap': numbered('an answer holds at most N events', (most) => cut(['events.list'], most)),
  'tasks-cap': numbered('the task list holds at most N tasks', (most) => cut(['tasks.list'], most)),
  'pages-cap': numbered('the page list holds at most N pages', (most) => cut(['pages.list'], most)),
  'comments-cap': numbered('a comment list holds at most N comments', (most) =>
    cut(['posts.comments.list', 'files.comments.list'], most),
  ),
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
  'no-total-count': plain('lists come without X-Total-Count', {
    change(_, success) {
      success.total = null
    },
  }),
}

function cut(operations: readonly OperationId[], most: number): Quirk {
  return {
    change({ operation }, success) {
      if (!operations.includes(operation.id) || !Array.isArray(success.result)) return
      success.result = success.result.slice(0, most)
      success.total = null
    },
  }
}
