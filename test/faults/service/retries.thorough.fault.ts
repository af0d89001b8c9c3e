/** @module-tag thorough */

import { closesReused } from '@collab-etl/sandbox/behaviours'
import { nightFault } from './night.ts'
import { everywhere, gateway, tooMany } from './rules.ts'

// Variations of what status.fault.ts shows in `npm test`; most of their time is spent waiting to try again.

/** Options for faults with stalls. */
const STALLS = ['--timeout', '2', '--retries', '2']

nightFault('reset in the body: the first answer of each operation', {
  rules: everywhere({ first: 1 }, { kind: 'reset_in_body' }),
})

nightFault('stall in the body: the first list of projects, and the events of one always', {
  rules: [
    { on: 'projects.list', first: 1, does: { kind: 'stall_in_body' } },
    { on: 'events.list', pid: 'P1', does: { kind: 'stall_in_body' } },
  ],
  args: STALLS,
  notComplete: { 'events P1': 'failed' },
})

nightFault('the connection closes before the last chunk of first answers', {
  rules: everywhere({ first: 1 }, { kind: 'truncate_chunked' }),
})

nightFault('every connection closes at its second request', {
  rules: everywhere({}, closesReused),
  // every other attempt gets a connection that another request has used meanwhile
  args: ['--retries', '12', '--concurrency', '2'],
})

nightFault('429 to first requests, with every form of Retry-After', {
  rules: [
    { on: 'projects.list', first: 1, does: tooMany('1') },
    { on: 'tasks.list', pid: 'P1', first: 1, does: tooMany(new Date(Date.now() - 60_000).toUTCString()) },
    { on: 'pages.list', pid: 'P1', first: 1, does: tooMany('soon') },
    ...everywhere({ first: 1 }, tooMany()),
  ],
})

nightFault('502 and 503 of a gateway to every request of two scopes', {
  rules: [
    { on: 'projects.get', pid: 'P1', does: gateway(502) },
    { on: 'events.list', pid: 'P2', does: gateway(503) },
  ],
  args: ['--retries', '0'],
  notComplete: { 'projects P1': 'failed', 'events P2': 'failed' },
})
