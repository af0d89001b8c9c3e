import { fault } from '../support/fault.ts'
import * as connections from './hostile-service/connections.ts'
import { everywhere } from './hostile-service/everywhere.ts'
import { expectNight, night } from './night.ts'
import type { WorldRow } from './rows-of-world.ts'

/** For silence that is meant. */
const STALLS = ['--timeout', '2', '--retries', '2']

fault(
  {
    category: 'service',
    name: 'reset before headers',
    does: 'the connection is reset in place of the first answer of each operation',
    holds: 'tried again, everything is stored as the service has it',
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
    name: 'reset inside the body',
    does: 'each operation is reset in the middle of its first answer',
    holds: 'what came of the half is void, everything is stored as the service has it',
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
    name: 'reset for good',
    does: 'tasks and posts of one project are reset in the middle every time',
    holds: 'neither scope is complete, nothing of the halves is stored, nothing of the night before is deleted',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [
        { on: 'tasks', pid: 'P1', does: connections.resetInBody },
        { on: 'post_comments', pid: 'P1', does: connections.resetInBody },
      ],
    })
    // Post 50 is new tonight, and only a comment names it.
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
    does: 'tasks are not answered at first, pages of another project never',
    holds: 'both time out; the tasks are whole, the pages failed and stay as they were',
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
    name: 'stall inside the body',
    does: 'the project list stalls in its middle at first, the events of a project every time',
    holds: 'the list is whole at the next try, the events failed and stay as they were',
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
    name: 'cut short',
    does: 'first answers end before the announced length is reached',
    holds: 'no half passes for a whole: all are asked for again',
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
    name: 'cut with a fitting length',
    does: 'answers are cut and announce the length that they then have: first ones, and every page of an archive',
    holds: 'that the JSON has no end tells: first ones are asked for again, the archive failed and is kept',
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
    name: 'no last chunk',
    does: 'first answers come in chunks, and the connection is closed before the last of them',
    holds: 'all are asked for again, everything is stored as the service has it',
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
    does: 'bodies end with the connection; webhooks of a project are cut, which HTTP cannot tell',
    holds: 'whole bodies are taken, the cut one failed by its JSON',
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
    name: 'connections closed at reuse',
    does: 'every connection is closed as soon as a second request comes over it',
    holds: 'requests go out again over new ones, everything is stored as the service has it',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: everywhere({}, connections.closesReused),
      // every other try meets a connection that another request has used meanwhile
      args: ['--retries', '12', '--concurrency', '2'],
    })
    expectNight(tonight)
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'hints before the answer',
    does: 'informational answers (102, 103) come before each real one',
    holds: 'they are passed over, everything is stored as the service has it',
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
    name: 'slow drip',
    does: 'pages and comments come byte after byte, all in more time than one request may be silent',
    holds: 'as long as bytes come nobody gives up, everything is stored as the service has it',
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
    name: 'headers without end, no HTTP at all',
    does: 'pages come with megabytes of headers, tasks with the greeting of another protocol',
    holds: 'both scopes failed and stay as they were, the others are whole',
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
