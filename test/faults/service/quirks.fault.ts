import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Ending, Fixture } from '../support/fixture.ts'
import { type QuirkNight, QuirkWorld } from './quirks/world.ts'

/** A quirk, and how a run against it ends. */
interface Row {
  readonly quirk: string
  /** Description in the table. */
  readonly does: string
  /** Incomplete streams, with status and code. Default: none, exit 0. */
  readonly notComplete?: readonly RegExp[]
  /** The stream that is complete with a warning as long as nothing more of it is stored. */
  readonly unproven?: 'pages' | 'posts'
  readonly env?: Readonly<Record<string, string>>
  /** Result in the table. Default: depends on completeness. */
  readonly holds?: string
}

const WHOLE = 'everything is stored as the service holds it, in each of the three runs'
const NAMED = 'what is missing is named, the next run completes it, and no stored row is lost'
const UNPROVEN =
  'nothing speaks against a first list of that length: a warning; once more is stored, what is missing is named, and no stored row is lost'

const rows: Row[] = [
  { quirk: 'page-cap=20', does: 'pages of archived tasks hold at most 20 tasks' },
  { quirk: 'max-page-size=25', does: 'requests for larger pages of archived tasks are rejected' },
  { quirk: 'clamp-pages', does: 'a page of archived tasks beyond the end repeats the last one' },
  { quirk: 'error-beyond-end', does: 'a page of archived tasks beyond the end answers 600027' },
  { quirk: 'zero-based-pages', does: 'the first page of archived tasks is page 0' },
  { quirk: 'task-in-both-lists', does: 'a task is in the list of tasks and among the archived ones' },
  { quirk: 'events-cap=50', does: 'an answer holds at most 50 events' },
  { quirk: 'events-wide-empty', does: 'ranges of more than 31 days answer an empty list' },
  {
    quirk: 'tasks-cap=50',
    does: 'the task list ends after 50 tasks',
    notComplete: [/^tasks: drifted POSSIBLY_CAPPED/],
  },
  {
    quirk: 'pages-cap=20',
    does: 'the page list ends after 20 pages',
    notComplete: [/^pages: drifted POSSIBLY_CAPPED/],
    unproven: 'pages',
  },
  {
    ...{ quirk: 'comments-cap=20', does: 'comment lists end after 20 comments' },
    notComplete: [/^posts: partial UNREAD_ITEMS/],
    unproven: 'posts',
  },
  {
    ...{ quirk: 'leave-out=page.content,task.desc/3', does: 'pages lack their content, some tasks their description' },
    holds: 'what is left out is listed; the next run stores it, and the third keeps it',
  },
  { quirk: 'null-lists', does: 'empty lists are null' },
  { quirk: 'null-inner-lists', does: 'empty lists inside records are null' },
  {
    ...{ quirk: 'file-size-text', does: 'file sizes are texts such as "139.79KB"' },
    holds: 'the text of each size is listed; everything else is stored as the service holds it',
  },
  { quirk: 'foreign-pid', does: 'some events name another project' },
  { quirk: 'epoch-ms', does: 'times are milliseconds since the epoch' },
  { quirk: 'epoch-s', does: 'times are seconds since the epoch' },
  { quirk: 'date-only', does: 'due dates have no time of day' },
  { quirk: 'offset-times', does: 'times have an offset' },
  { quirk: 'retry-after-403=60', does: 'now and then 403 with Retry-After' },
  {
    ...{ quirk: 'rate-limit-code=4290@60', does: 'now and then 400 with a code that COLLAB_RATE_LIMIT_CODES names' },
    env: { COLLAB_RATE_LIMIT_CODES: '4290' },
  },
  { quirk: 'forbidden-webhooks', does: 'webhooks answer 403', notComplete: [/^webhooks: skipped NOT_ALLOWED/] },
  { quirk: 'bad-post', does: 'one post of each project answers 500', notComplete: [/^posts: partial/] },
  { quirk: 'forbidden-post', does: 'one post of each project answers 403', notComplete: [/^posts: partial/] },
  { quirk: 'bad-file', does: 'one file of each project answers 500', notComplete: [/^files: partial/] },
]

/** A partial run reports it; streams that are not allowed are not failures, and are reported once per change. */
function ending(fixture: Fixture, { ran }: QuirkNight): Ending {
  return ran.code === 0 ? fixture.cured(ran) : fixture.named(ran, 3)
}

for (const { quirk, does, notComplete, unproven, holds, env } of rows) {
  fault(
    {
      category: 'service',
      name: `quirk ${quirk}`,
      does: `${does}; then the service is as its page says; then again`,
      holds: holds ?? (unproven ? UNPROVEN : notComplete ? NAMED : WHOLE),
    },
    async (fixture) => {
      const world = await QuirkWorld.open(fixture)
      const first = await world.night([quirk], env)
      expect(first.problems).toEqual([])
      const named = (notComplete ?? []).map((pattern) => expect.stringMatching(pattern))
      expect([first.notComplete, first.unproven]).toEqual(unproven === undefined ? [named, []] : [[], [unproven]])
      const honest = await world.night([])
      expect([honest.ran.code, honest.problems, honest.notComplete]).toEqual([0, [], []])
      const again = await world.night([quirk], env)
      expect([again.problems, again.unproven]).toEqual([[], []])
      if (unproven !== undefined) expect(again.notComplete).toEqual(named)
      ending(fixture, first)
      return ending(fixture, again)
    },
  )
}

fault(
  {
    category: 'service',
    name: 'quirk code-401=100099@40',
    does: 'from the 40th request on HTTP 401 with a code of its own; then the service is as its page says',
    holds: 'the run stops at once, no stored row is lost, and the next run is complete',
  },
  async (fixture) => {
    const world = await QuirkWorld.open(fixture)
    const first = await world.night(['code-401=100099@40'])
    const honest = await world.night([])
    const again = await world.night(['code-401=100099'])
    expect([first, honest, again].map(({ ran, problems }) => [ran.code, problems])).toEqual([
      [4, []],
      [0, []],
      [4, []],
    ])
    return fixture.named(first.ran, 4)
  },
)
