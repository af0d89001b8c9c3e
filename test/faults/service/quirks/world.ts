import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import type { PlainTables } from '@collab-etl/harness/expected-rows'
import { postsCsv } from '@collab-etl/harness/posts-csv'
import type { ProjectTruth, Sandbox, SandboxOptions } from '@collab-etl/sandbox'
import type { Fixture } from '../../support/fixture.ts'
import { emptyWarehouse, settingsOf } from '../night-before.ts'
import { storedIn, type WarehousePlace } from '../stored.ts'
import { problemsOf } from './problems.ts'
import { rowsAsSent } from './sent.ts'

/** Lists longer than the caps of the quirks, none of a round length. */
const WORLD: SandboxOptions = { seed: 14, projects: 2, tasks: 108, archived: 134, pages: 58, posts: 12, events: 242 }

/** Comments of two posts: more than `comments-cap` lets through. */
const MANY_COMMENTS = [27, 33]

/** Small pages, so that the archive has several. */
const ARGS = ['--archived-page-size', '30', '--json', '--allow-shrink']

interface WorldOptions extends SandboxOptions {
  readonly embedded?: boolean
}

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

/** A service that changes its ways from night to night, and the warehouse that it is read into. */
export class QuirkWorld {
  readonly #fixture: Fixture
  readonly #sandbox: Sandbox
  readonly #place: WarehousePlace
  readonly #truths: readonly ProjectTruth[]
  #before: PlainTables = {}

  private constructor(fixture: Fixture, sandbox: Sandbox, place: WarehousePlace) {
    this.#fixture = fixture
    this.#sandbox = sandbox
    this.#place = place
    this.#truths = sandbox.pids.map((pid) => sandbox.store.truth(pid))
  }

  /** An empty warehouse on Postgres where there is a server, or else (or if `embedded`) in a directory. */
  static async open(fixture: Fixture, { embedded = false, ...world }: WorldOptions = {}): Promise<QuirkWorld> {
    const sandbox = await fixture.startSandbox({ ...WORLD, ...world })
    addComments(sandbox)
    const dataDir = await mkdtemp(join(fixture.path, 'data-'))
    const place = { ...(embedded ? {} : await emptyWarehouse(fixture)), dataDir }
    return new QuirkWorld(fixture, sandbox, place)
  }

  /** Takes a snapshot of the service with these quirks, and no others. */
  async night(quirks: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<QuirkNight> {
    this.#sandbox.setQuirks(quirks)
    const postsFile = join(this.#fixture.path, 'posts.csv')
    await writeFile(postsFile, postsCsv(this.#truths))
    const ran = await this.#fixture.run('collab-extract', ['snapshot', ...ARGS, '--posts-file', postsFile], {
      env: { COLLAB_BASE_URL: this.#sandbox.baseUrl, COLLAB_RETRIES: '1', ...settingsOf(this.#place), ...env },
    })
    const { scopes, losses, tables: stored } = await storedIn(this.#place)
    const expected = rowsAsSent(this.#truths, this.#sandbox.store.personalWebhooks, quirks)
    const problems = problemsOf({ code: ran.code, expected, stored, scopes, losses, before: this.#before })
    this.#before = stored
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
