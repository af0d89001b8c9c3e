/** @module-tag thorough */

import type { ScopedRow } from '@collab-etl/harness/expected-rows'
import {
  cutToFit,
  cutWithConnection,
  drip,
  endsWithConnection,
  headerBomb,
  hintsFirst,
  noHttp,
} from '@collab-etl/sandbox/behaviours'
import { fault } from '../support/fault.ts'
import { expectNight, night, nightFault } from './night.ts'
import { everywhere } from './rules.ts'

/** Options for faults with stalls. */
const STALLS = ['--timeout', '2', '--retries', '2']

nightFault('reset before the headers: the first answer of each operation', {
  rules: everywhere({ first: 1 }, { kind: 'reset' }),
})

fault('reset in the body: every answer with tasks and comments of one project', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'tasks.list', pid: 'P1', does: { kind: 'reset_in_body' } },
      { on: 'posts.comments.list', pid: 'P1', does: { kind: 'reset_in_body' } },
    ],
  })
  // Post 50 is new, and only a comment refers to it.
  const isOfComments = ({ table, row }: ScopedRow) =>
    table === 'post_comments' || table === 'comment_files' || row['post_id'] === 'P1-N50'
  expectNight(tonight, {
    notComplete: { 'tasks P1': 'failed', 'posts P1': 'partial' },
    isUnread: (row) => row.pid === 'P1' && row.stream === 'posts' && isOfComments(row),
  })
  return fixture.named(tonight.ran, 3)
})

nightFault('stall before the headers: the first tasks, and the pages of one project always', {
  rules: [
    { on: 'tasks.list', first: 1, does: { kind: 'stall' } },
    { on: 'pages.list', pid: 'P2', does: { kind: 'stall' } },
  ],
  args: STALLS,
  notComplete: { 'pages P2': 'failed' },
})

nightFault('first answers end before the announced length', { rules: everywhere({ first: 1 }, { kind: 'truncate' }) })

nightFault('answers are cut and announce the shortened length', {
  rules: [{ on: 'tasks.archived.list', pid: 'P2', does: cutToFit }, ...everywhere({ first: 1 }, cutToFit)],
  notComplete: { 'archived_tasks P2': 'failed' },
})

nightFault('bodies without a length end with the connection (HTTP/1.0), one of them early', {
  rules: [{ on: 'webhooks.list', pid: 'P1', does: cutWithConnection }, ...everywhere({}, endsWithConnection)],
  notComplete: { 'webhooks P1': 'failed' },
})

nightFault('informational answers (102, 103) before each answer', { rules: everywhere({}, hintsFirst) })

nightFault('answers that arrive byte by byte, for longer than a request may be silent', {
  rules: [
    { on: 'pages.list', pid: 'P1', does: drip },
    { on: 'posts.comments.list', does: drip },
  ],
  args: STALLS,
})

nightFault('megabytes of headers; an answer in another protocol', {
  rules: [
    { on: 'pages.list', pid: 'P1', does: headerBomb },
    { on: 'tasks.list', pid: 'P2', does: noHttp },
  ],
  notComplete: { 'pages P1': 'failed', 'tasks P2': 'failed' },
})
