import { fault } from '../support/fault.ts'
import * as connections from './hostile-service/connections.ts'
import { everywhere } from './hostile-service/everywhere.ts'
import { expectNight, night } from './night.ts'
import type { WorldRow } from './rows-of-world.ts'

/** Options for faults with stalls. */
const STALLS = ['--timeout', '2', '--retries', '2']

fault(
  {
    category: 'service',
    name: 'reset before headers',
    does: 'the connection is reset in place of the first answer of each operation',
    holds: 'the request is retried; everything is stored exactly',
  },
  async (fixture) => {
    const tonight = await night(fixture, { rules: everywhere({ first: 1 }, connections.resetBeforeHeaders) })
    expectNight(tonight)
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'reset in the body',
    does: 'each operation is reset in the middle of its first answer',
    holds: 'the partial answer is discarded; everything is stored exactly',
  },
  async (fixture) => {
    const tonight = await night(fixture, { rules: everywhere({ first: 1 }, connections.resetInBody) })
    expectNight(tonight)
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'permanent reset',
    does: 'every answer with tasks and posts of one project is reset in the body',
    holds: 'neither scope is complete; nothing of the partial answers is stored, no row is deleted',
  },
  async (fixture) => {
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
  },
)

fault(
  {
    category: 'service',
    name: 'stall before headers',
    does: 'the first request for tasks gets no answer; requests for pages of another project never do',
    holds: 'both time out; the tasks are complete, the pages failed and are unchanged',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [
        { on: 'tasks', first: 1, does: connections.stallBeforeHeaders },
        { on: 'pages', pid: 'P2', does: connections.stallBeforeHeaders },
      ],
      args: STALLS,
    })
    expectNight(tonight, { notComplete: { 'pages P2': 'failed' } })
    return fixture.named(tonight.ran, 3)
  },
)

fault(
  {
    category: 'service',
    name: 'stall in the body',
    does: 'the first project list stalls in the body; the events of a project stall every time',
    holds: 'the list is complete after a retry; the events failed and are unchanged',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [
        { on: 'projects', first: 1, does: connections.stallInBody },
        { on: 'events', pid: 'P1', does: connections.stallInBody },
      ],
      args: STALLS,
    })
    expectNight(tonight, { notComplete: { 'events P1': 'failed' } })
    return fixture.named(tonight.ran, 3)
  },
)

fault(
  {
    category: 'service',
    name: 'truncated body',
    does: 'first answers end before the announced length',
    holds: 'no partial answer is accepted; each request is retried',
  },
  async (fixture) => {
    const tonight = await night(fixture, { rules: everywhere({ first: 1 }, connections.cutShort) })
    expectNight(tonight)
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'truncated body with matching length',
    does: 'answers are cut and announce the shortened length: first answers, and every page of an archive',
    holds: 'the incomplete JSON is detected: first answers are requested again; the archive failed and is unchanged',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [
        { on: 'archived', pid: 'P2', does: connections.cutToFit },
        ...everywhere({ first: 1 }, connections.cutToFit),
      ],
    })
    expectNight(tonight, { notComplete: { 'archived_tasks P2': 'failed' } })
    return fixture.named(tonight.ran, 3)
  },
)

fault(
  {
    category: 'service',
    name: 'missing last chunk',
    does: 'first answers are chunked, and the connection closes before the last chunk',
    holds: 'each request is retried; everything is stored exactly',
  },
  async (fixture) => {
    const tonight = await night(fixture, { rules: everywhere({ first: 1 }, connections.withoutLastChunk) })
    expectNight(tonight)
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'HTTP/1.0 without a length',
    does: 'bodies end with the connection; webhooks of a project are cut, which HTTP cannot detect',
    holds: 'complete bodies are accepted; the cut one failed as invalid JSON',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [
        { on: 'webhooks', pid: 'P1', does: connections.cutWithConnection },
        ...everywhere({}, connections.endsWithConnection),
      ],
    })
    expectNight(tonight, { notComplete: { 'webhooks P1': 'failed' } })
    return fixture.named(tonight.ran, 3)
  },
)

fault(
  {
    category: 'service',
    name: 'connections closed on reuse',
    does: 'every connection closes when a second request is sent over it',
    holds: 'the requests are sent again over new connections; everything is stored exactly',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: everywhere({}, connections.closesReused),
      // every other attempt gets a connection that another request has used meanwhile
      args: ['--retries', '12', '--concurrency', '2'],
    })
    expectNight(tonight)
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'informational answers',
    does: 'informational answers (102, 103) precede each answer',
    holds: 'they are skipped; everything is stored exactly',
  },
  async (fixture) => {
    const tonight = await night(fixture, { rules: everywhere({}, connections.hintsFirst) })
    expectNight(tonight)
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'slow answers',
    does: 'pages and comments arrive byte by byte and take longer than a request may be silent',
    holds: 'a request continues while bytes arrive; everything is stored exactly',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [
        { on: 'pages', pid: 'P1', does: connections.drip },
        { on: 'post_comments', does: connections.drip },
      ],
      args: STALLS,
    })
    expectNight(tonight)
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'oversized headers, other protocols',
    does: 'pages have megabytes of headers; tasks are answered in another protocol',
    holds: 'both scopes failed and are unchanged; the others are complete',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [
        { on: 'pages', pid: 'P1', does: connections.headerBomb },
        { on: 'tasks', pid: 'P2', does: connections.noHttp },
      ],
    })
    expectNight(tonight, { notComplete: { 'pages P1': 'failed', 'tasks P2': 'failed' } })
    return fixture.named(tonight.ran, 3)
  },
)
