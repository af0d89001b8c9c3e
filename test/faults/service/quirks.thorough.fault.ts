/** @module-tag thorough */

import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Ending, Fixture } from '../support/fixture.ts'
import { type QuirkNight, quirkNights } from './quirks/quirk-nights.ts'

/** A quirk, and how a run against it ends. */
interface Row {
  /** `quirk NAME: what it does`. */
  readonly title: string
  /** Incomplete streams, with status and code. Default: none, exit 0. */
  readonly notComplete?: readonly RegExp[]
  /** The stream that is complete with a warning as long as nothing more of it is stored. */
  readonly unproven?: 'pages' | 'posts'
  readonly env?: Readonly<Record<string, string>>
}

const rows: Row[] = [
  { title: 'quirk page-cap=20: pages of archived tasks hold at most 20 tasks' },
  { title: 'quirk max-page-size=25: requests for larger pages of archived tasks are rejected' },
  { title: 'quirk clamp-pages: a page of archived tasks beyond the end repeats the last one' },
  { title: 'quirk error-beyond-end: a page of archived tasks beyond the end answers 600027' },
  { title: 'quirk zero-based-pages: the first page of archived tasks is page 0' },
  { title: 'quirk task-in-both-lists: a task is in the list of tasks and among the archived ones' },
  { title: 'quirk events-cap=50: an answer holds at most 50 events' },
  { title: 'quirk events-wide-empty: ranges of more than 31 days answer an empty list' },
  {
    title: 'quirk tasks-cap=50: the task list ends after 50 tasks',
    notComplete: [/^tasks: drifted POSSIBLY_CAPPED/],
  },
  {
    title: 'quirk pages-cap=20: the page list ends after 20 pages',
    notComplete: [/^pages: drifted POSSIBLY_CAPPED/],
    unproven: 'pages',
  },
  {
    title: 'quirk comments-cap=20: comment lists end after 20 comments',
    notComplete: [/^posts: partial UNREAD_ITEMS/],
    unproven: 'posts',
  },
  {
    title: 'quirk leave-out=page.content,task.desc/3: pages lack their content, some tasks their description',
  },
  { title: 'quirk null-lists: empty lists are null' },
  { title: 'quirk null-inner-lists: empty lists inside records are null' },
  {
    title: 'quirk file-size-text: file sizes are texts such as "139.79KB"',
  },
  { title: 'quirk foreign-pid: some events name another project' },
  { title: 'quirk epoch-ms: times are milliseconds since the epoch' },
  { title: 'quirk epoch-s: times are seconds since the epoch' },
  { title: 'quirk date-only: due dates have no time of day' },
  { title: 'quirk offset-times: times have an offset' },
  { title: 'quirk retry-after-403=60: now and then 403 with Retry-After' },
  {
    title: 'quirk rate-limit-code=4290@60: now and then 400 with a code that COLLAB_RATE_LIMIT_CODES names',
    env: { COLLAB_RATE_LIMIT_CODES: '4290' },
  },
  { title: 'quirk forbidden-webhooks: webhooks answer 403', notComplete: [/^webhooks: skipped NOT_ALLOWED/] },
  { title: 'quirk bad-post: one post of each project answers 500', notComplete: [/^posts: partial/] },
  { title: 'quirk forbidden-post: one post of each project answers 403', notComplete: [/^posts: partial/] },
  { title: 'quirk bad-file: one file of each project answers 500', notComplete: [/^files: partial/] },
]

/** A partial run reports it; streams that are not allowed are not failures, and are reported once per change. */
function ending(fixture: Fixture, { ran }: QuirkNight): Ending {
  return ran.code === 0 ? fixture.cured(ran) : fixture.named(ran, 3)
}

// the service with the quirk, then as its page says, then again with the quirk
for (const { title, notComplete, unproven, env } of rows) {
  const [, quirk = ''] = /^quirk (\S+):/.exec(title) ?? []
  fault(title, async (fixture) => {
    const night = await quirkNights(fixture)
    const first = await night([quirk], env)
    expect(first.problems).toEqual([])
    const named = (notComplete ?? []).map((pattern) => expect.stringMatching(pattern))
    expect([first.notComplete, first.unproven]).toEqual(unproven === undefined ? [named, []] : [[], [unproven]])
    const honest = await night([])
    expect([honest.ran.code, honest.problems, honest.notComplete]).toEqual([0, [], []])
    const again = await night([quirk], env)
    expect([again.problems, again.unproven]).toEqual([[], []])
    if (unproven !== undefined) expect(again.notComplete).toEqual(named)
    ending(fixture, first)
    return ending(fixture, again)
  })
}

fault('quirk code-401=100099@40: HTTP 401 from the 40th request on', async (fixture) => {
  const night = await quirkNights(fixture)
  const first = await night(['code-401=100099@40'])
  const honest = await night([])
  const again = await night(['code-401=100099'])
  expect([first, honest, again].map(({ ran, problems }) => [ran.code, problems])).toEqual([
    [4, []],
    [0, []],
    [4, []],
  ])
  return fixture.named(first.ran, 4)
})
