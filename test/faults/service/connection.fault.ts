import type { ScopedRow } from '@collab-etl/harness/expected-rows'
import {
  closesReused,
  cutToFit,
  cutWithConnection,
  drip,
  endsWithConnection,
  headerBomb,
  hintsFirst,
  noHttp,
} from '@collab-etl/sandbox/behaviours'
import { fault } from '../support/fault.ts'
import { expectNight, night } from './night.ts'
import { everywhere } from './rules.ts'

/** Options for faults with stalls. */
const STALLS = ['--timeout', '2', '--retries', '2']

fault('reset before the headers: the first answer of each operation', async (fixture) => {
  const tonight = await night(fixture, { rules: everywhere({ first: 1 }, { kind: 'reset' }) })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('reset in the body: the first answer of each operation', async (fixture) => {
  const tonight = await night(fixture, { rules: everywhere({ first: 1 }, { kind: 'reset_in_body' }) })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
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

fault('stall before the headers: the first tasks, and the pages of one project always', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'tasks.list', first: 1, does: { kind: 'stall' } },
      { on: 'pages.list', pid: 'P2', does: { kind: 'stall' } },
    ],
    args: STALLS,
  })
  expectNight(tonight, { notComplete: { 'pages P2': 'failed' } })
  return fixture.named(tonight.ran, 3)
})

fault('stall in the body: the first list of projects, and the events of one always', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'projects.list', first: 1, does: { kind: 'stall_in_body' } },
      { on: 'events.list', pid: 'P1', does: { kind: 'stall_in_body' } },
    ],
    args: STALLS,
  })
  expectNight(tonight, { notComplete: { 'events P1': 'failed' } })
  return fixture.named(tonight.ran, 3)
})

fault('first answers end before the announced length', async (fixture) => {
  const tonight = await night(fixture, { rules: everywhere({ first: 1 }, { kind: 'truncate' }) })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('answers are cut and announce the shortened length', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [{ on: 'tasks.archived.list', pid: 'P2', does: cutToFit }, ...everywhere({ first: 1 }, cutToFit)],
  })
  expectNight(tonight, { notComplete: { 'archived_tasks P2': 'failed' } })
  return fixture.named(tonight.ran, 3)
})

fault('the connection closes before the last chunk of first answers', async (fixture) => {
  const tonight = await night(fixture, { rules: everywhere({ first: 1 }, { kind: 'truncate_chunked' }) })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('bodies without a length end with the connection (HTTP/1.0), one of them early', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [{ on: 'webhooks.list', pid: 'P1', does: cutWithConnection }, ...everywhere({}, endsWithConnection)],
  })
  expectNight(tonight, { notComplete: { 'webhooks P1': 'failed' } })
  return fixture.named(tonight.ran, 3)
})

fault('every connection closes at its second request', async (fixture) => {
  const tonight = await night(fixture, {
    rules: everywhere({}, closesReused),
    // every other attempt gets a connection that another request has used meanwhile
    args: ['--retries', '12', '--concurrency', '2'],
  })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('informational answers (102, 103) before each answer', async (fixture) => {
  const tonight = await night(fixture, { rules: everywhere({}, hintsFirst) })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('answers that arrive byte by byte, for longer than a request may be silent', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'pages.list', pid: 'P1', does: drip },
      { on: 'posts.comments.list', does: drip },
    ],
    args: STALLS,
  })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('megabytes of headers; an answer in another protocol', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'pages.list', pid: 'P1', does: headerBomb },
      { on: 'tasks.list', pid: 'P2', does: noHttp },
    ],
  })
  expectNight(tonight, { notComplete: { 'pages P1': 'failed', 'tasks P2': 'failed' } })
  return fixture.named(tonight.ran, 3)
})
