import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backends } from '@collab-etl/harness/backends'
import { run, STEPS_IN_HOSTS, type Started, scratchDirectory } from '@collab-etl/harness/commands'
import { type Receiver, startReceiver } from '@collab-etl/harness/receiver'
import type { Night } from '@collab-etl/observability'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { stringify } from 'yaml'
import { readNights } from '../src/run/record.ts'

const SMALL = { projects: 2, barred: 0, tasks: 6, archived: 2, pages: 3, posts: 2, events: 2 }

/** A service, an empty warehouse, a watcher, and a directory with a collab.yaml. */
export interface World extends AsyncDisposable {
  readonly sandbox: Sandbox
  readonly watcher: Receiver
  readonly path: string
  /** The settings of the warehouse. */
  readonly warehouse: Readonly<Record<string, string>>
  /** Runs `collab-nightly` in the directory. */
  night(args?: readonly string[], options?: NightOptions): ReturnType<typeof run>
  /** Nights on record, oldest first. */
  nights(): Promise<Night[]>
  /** The paths that the watcher was asked for since the last call. */
  pings(): string[]
  /** A file in the directory. */
  read(path: string): Promise<string>
}

interface NightOptions {
  readonly env?: Record<string, string>
  readonly onStart?: (started: Started) => void
  readonly ownProcess?: boolean
  readonly through?: readonly string[]
}

/**
 * @param nightly what collab.yaml has under `nightly:`, besides the directory `b`; the watcher's address is an argument
 * @param backend default: Postgres if it is available, as a run takes a quarter of the time
 * @param sizes of the service, besides those of a small one
 */
export async function openWorld(
  nightly: (watcher: string) => Record<string, unknown>,
  backend = backends()[0],
  sizes: Partial<typeof SMALL> = {},
): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const scratch = stack.use(await scratchDirectory())
  if (backend === undefined) throw new Error('there is always a backend')
  const warehouse = stack.use(await backend.open())
  const sandbox = await startSandbox({ ...SMALL, ...sizes, token: 'the-token-of-the-service' })
  stack.defer(() => sandbox.close())
  const watcher = stack.use(await startReceiver())
  const file = { base_url: sandbox.baseUrl, retries: 0, nightly: { out: 'b', ...nightly(watcher.url) } }
  await writeFile(join(scratch.path, 'collab.yaml'), stringify(file))
  const env = { ...warehouse.env, COLLAB_TOKEN: sandbox.token, ...STEPS_IN_HOSTS }
  const made = stack.move()
  return {
    sandbox,
    watcher,
    path: scratch.path,
    warehouse: warehouse.env,
    night: (args = [], { env: more = {}, ...options } = {}) =>
      run('collab-nightly', args, { cwd: scratch.path, env: { ...env, ...more }, ...options }),
    nights: () => readNights(join(scratch.path, 'b')),
    pings: () => watcher.received.splice(0).map(({ path = '' }) => path),
    read: (path) => readFile(join(scratch.path, path), 'utf8'),
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  }
}
