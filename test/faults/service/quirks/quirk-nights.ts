import type { Ran } from '@collab-etl/harness/commands'
import type { PlainTables } from '@collab-etl/harness/expected-rows'
import type { Sandbox } from '@collab-etl/sandbox'
import type { Fixture } from '../../support/fixture.ts'
import { World } from '../../support/world.ts'
import { problemsOf } from './problems.ts'
import { rowsAsSent } from './sent.ts'

/** Lists longer than the caps of the quirks, none of a round length. */
const SIZES = { seed: 14, projects: 2, tasks: 108, archived: 134, pages: 58, posts: 12, events: 242 }

/** Comments of two posts: more than `comments-cap` lets through. */
const MANY_COMMENTS = [27, 33]

/** Small pages, so that the archive has several. */
const ARGS = ['--archived-page-size', '30', '--json']

/** A snapshot, and all that is wrong with it. */
export interface QuirkNight {
  readonly ran: Ran
  /** `stream: status code` of the scopes that are not complete, each once. */
  readonly notComplete: readonly string[]
  /** Streams of complete scopes that may be cut, each once. */
  readonly unproven: readonly string[]
  /** What is missing, wrong or too much without being named. Empty for a run that can be trusted. */
  readonly problems: readonly string[]
}

/** Takes a snapshot of the service with these quirks, and no others. */
type QuirkNights = (quirks: readonly string[], env?: Readonly<Record<string, string>>) => Promise<QuirkNight>

/** A service that changes its ways from night to night, and the warehouse that it is read into. */
export async function quirkNights(fixture: Fixture, { embedded = false } = {}): Promise<QuirkNights> {
  const world = await (embedded ? World.open(fixture, SIZES) : World.onServer(fixture, SIZES))
  addComments(world.sandbox)
  await world.writePosts()
  const truths = world.truths()
  let before: PlainTables = {}
  return async (quirks, env = {}) => {
    world.sandbox.setQuirks(quirks)
    const ran = await world.snapshot(ARGS, { env })
    const { scopes, losses, tables: stored } = await world.stored()
    const expected = rowsAsSent(truths, world.sandbox.store.personalWebhooks, quirks)
    const problems = problemsOf({ code: ran.code, expected, stored, scopes, losses, before })
    before = stored
    const named = scopes.filter(({ status }) => status !== 'complete')
    const notComplete = named.map(({ stream, status, error_code }) => `${stream}: ${status} ${error_code}`)
    const unproven = scopes.filter(({ warning_code: code }) => code !== null).map(({ stream }) => stream)
    const sorted = (texts: readonly string[]) => [...new Set(texts)].sort()
    return { ran, notComplete: sorted(notComplete), unproven: sorted(unproven), problems }
  }
}

function addComments({ store, pids }: Sandbox): void {
  store.change(pids[0] ?? '', ({ posts }) => {
    for (const [index, count] of MANY_COMMENTS.entries()) {
      const comments = posts[index]?.comments
      const sample = posts.flatMap((post) => post.comments)[0]
      while (comments && sample && comments.length < count) {
        comments.push({ ...sample, cid: store.newId(), message: `comment ${comments.length}`, fids: [], files: [] })
      }
    }
  })
}
