import {
  archivedTask,
  comment,
  entry,
  event,
  file,
  member,
  page,
  post,
  project,
  task,
  team,
  user,
  webhook,
} from './records.ts'
import { batch, type Streams } from './snapshot.ts'

export const RANGE = { from: new Date('2020-01-01'), to: new Date('2030-01-01') }
export const START = '2024-01-01T00:00:00.000Z'

/** Records of every stream, that become rows of every table. */
export function everything(): Required<Streams> {
  const red = { name: 'red', desc: 'urgent' }
  const labelled = { labels: [red], todos: [{ todo_id: 'd1', name: 'first', checked: 1 as const, pos: 0.5 }] }
  return {
    projects: { batches: [batch('project', [project('p1', { labels: [red] })])] },
    members: { batches: [batch('member', [member('u1')])] },
    entries: { batches: [batch('entry', [entry('e1', { name: 'Entry 1' }), entry('e2', { name: 'Entry 2' })])] },
    tasks: {
      batches: [
        batch('task', [
          task('t1', { ...labelled, members: [user('u1'), user('u2')], watchers: [user('u2')] }),
          task('t2', { entry_id: 'e2', entry_name: 'Entry 2' }),
        ]),
      ],
    },
    archived_tasks: { batches: [batch('archived_task', [archivedTask('t3', { labels: [red] })])] },
    task_comments: {
      batches: [
        batch('task_comment', [{ tid: 't1', comment: comment('c3', { fids: ['f1'] }) }]),
        batch('task_comments_read', [{ tid: 't1', comment_count: 1, updated_at: START }]),
      ],
    },
    pages: { batches: [batch('page', [page('g1', { watchers: [user('u3')] }), page('g2')])] },
    posts: {
      batches: [
        batch('post', [post('s1', { watchers: [user('u1')] }), post('s2')]),
        batch('post_comment', [{ post_id: 's1', comment: comment('c1', { fids: ['f1'] }) }]),
      ],
    },
    events: { batches: [batch('event', [event('v1', START, { attendees: [user('u1')] })])], range: RANGE },
    files: {
      batches: [
        batch('file', [file('f1', { watchers: [user('u2')] })]),
        batch('file_comment', [{ fid: 'f1', comment: comment('c2', { fids: ['f2'] }) }]),
      ],
    },
    webhooks: { batches: [batch('webhook', [webhook('w1')])] },
    teams: { batches: [batch('team', [team('m1')])] },
  }
}
