import { fault } from '../support/fault.ts'
import * as connections from './hostile-service/connections.ts'
import { everywhere } from './hostile-service/everywhere.ts'
import { expectNight, night } from './night.ts'
import type { WorldRow } from './rows-of-world.ts'

/** Options for faults with stalls. */
const STALLS = ['--timeout', '2', '--retries', '2']

fault('reset before the headers: the first answer of each operation', async (fixture) => {
  const tonight = await night(fixture, { rules: everywhere({ first: 1 }, connections.resetBeforeHeaders) })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('reset in the body: the first answer of each operation', async (fixture) => {
  const tonight = await night(fixture, { rules: everywhere({ first: 1 }, connections.resetInBody) })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('reset in the body: every answer with tasks and comments of one project', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'tasks', pid: 'P1', does: connections.resetInBody },
      { on: 'post_comments', pid: 'P1', does: connections.resetInBody },
    ],
  })
  // Post 50 is new, and only a comment refers to it.
  const isOfComments = ({ table, row }: WorldRow) =>
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
      { on: 'tasks', first: 1, does: connections.stallBeforeHeaders },
      { on: 'pages', pid: 'P2', does: connections.stallBeforeHeaders },
    ],
    args: STALLS,
  })
  expectNight(tonight, { notComplete: { 'pages P2': 'failed' } })
  return fixture.named(tonight.ran, 3)
})

fault('stall in the body: the first list of projects, and the events of one always', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'projects', first: 1, does: connections.stallInBody },
      { on: 'events', pid: 'P1', does: connections.stallInBody },
    ],
    args: STALLS,
  })
  expectNight(tonight, { notComplete: { 'events P1': 'failed' } })
  return fixture.named(tonight.ran, 3)
})

fault('first answers end before the announced length', async (fixture) => {
  const tonight = await night(fixture, { rules: everywhere({ first: 1 }, connections.cutShort) })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('answers are cut and announce the shortened length', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'archived', pid: 'P2', does: connections.cutToFit },
      ...everywhere({ first: 1 }, connections.cutToFit),
    ],
  })
  expectNight(tonight, { notComplete: { 'archived_tasks P2': 'failed' } })
  return fixture.named(tonight.ran, 3)
})

fault('the connection closes before the last chunk of first answers', async (fixture) => {
  const tonight = await night(fixture, { rules: everywhere({ first: 1 }, connections.withoutLastChunk) })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('bodies without a length end with the connection (HTTP/1.0), one of them early', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'webhooks', pid: 'P1', does: connections.cutWithConnection },
      ...everywhere({}, connections.endsWithConnection),
    ],
  })
  expectNight(tonight, { notComplete: { 'webhooks P1': 'failed' } })
  return fixture.named(tonight.ran, 3)
})

fault('every connection closes at its second request', async (fixture) => {
  const tonight = await night(fixture, {
    rules: everywhere({}, connections.closesReused),
    // every other attempt gets a connection that another request has used meanwhile
    args: ['--retries', '12', '--concurrency', '2'],
  })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('informational answers (102, 103) before each answer', async (fixture) => {
  const tonight = await night(fixture, { rules: everywhere({}, connections.hintsFirst) })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('answers that arrive byte by byte, for longer than a request may be silent', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'pages', pid: 'P1', does: connections.drip },
      { on: 'post_comments', does: connections.drip },
    ],
    args: STALLS,
  })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('megabytes of headers; an answer in another protocol', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'pages', pid: 'P1', does: connections.headerBomb },
      { on: 'tasks', pid: 'P2', does: connections.noHttp },
    ],
  })
  expectNight(tonight, { notComplete: { 'pages P1': 'failed', 'tasks P2': 'failed' } })
  return fixture.named(tonight.ran, 3)
})
