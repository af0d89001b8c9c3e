import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ran, RunOptions } from '@collab-etl/harness/commands'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import type { Sandbox } from '@collab-etl/sandbox'
import type { Fixture } from '../../support/fixture.ts'
import { showWorld, worldTonight } from '../world.ts'

/** A scope in the backup manifest. */
interface WrittenScope {
  readonly pid: string | null
  readonly stream: string
  readonly status: string
  readonly error: { readonly code: string } | null
}

/** The fields of the backup manifest that faults use. */
export interface Manifest {
  readonly status: string
  readonly scopes: readonly WrittenScope[]
  readonly runs?: readonly { readonly run_id: string; readonly status: string }[]
  readonly unfinished_runs?: readonly {
    readonly run_id: string
    readonly started_at: string
    readonly status: string
  }[]
  readonly projects: readonly {
    readonly pid: string
    readonly read?: readonly { readonly run: string; readonly at: string; readonly streams: readonly string[] }[]
  }[]
}

/** A service, an empty warehouse, and a directory of backups. */
export class BackedUpWorld {
  readonly fixture: Fixture
  readonly service: Sandbox
  readonly out: string
  readonly #env: Readonly<Record<string, string>>

  private constructor(fixture: Fixture, service: Sandbox, env: Readonly<Record<string, string>>) {
    this.fixture = fixture
    this.service = service
    this.out = join(fixture.path, 'out')
    this.#env = env
  }

  static async open(fixture: Fixture, world = worldTonight()): Promise<BackedUpWorld> {
    const service = await showWorld(fixture, world)
    const env = { COLLAB_BASE_URL: service.baseUrl, COLLAB_RETRIES: '0', COLLAB_DATA_DIR: join(fixture.path, 'data') }
    const server = postgresServer()
    if (server === null) return new BackedUpWorld(fixture, service, env)
    const database = await freshDatabase(server)
    fixture.defer(() => database.drop())
    return new BackedUpWorld(fixture, service, { ...env, DATABASE_URL: database.url })
  }

  snapshot(args: readonly string[] = [], options: Pick<RunOptions, 'onStart'> = {}): Promise<Ran> {
    return this.fixture.run('collab-extract', ['snapshot', '--concurrency', '1', '--json', ...args], {
      env: this.#env,
      ...options,
    })
  }

  backup(...args: readonly string[]): Promise<Ran> {
    return this.export('backup', '--out', this.out, '--format', 'csv', '--json', ...args)
  }

  export(...args: readonly string[]): Promise<Ran> {
    return this.fixture.run('collab-export', args, { env: this.#env })
  }

  /** The backup manifest of a backup, from the output of its command. */
  async manifest({ stdout }: Pick<Ran, 'stdout'>): Promise<Manifest> {
    const { backup }: { backup: string } = JSON.parse(stdout)
    return JSON.parse(await readFile(join(backup, 'data/backup.json'), 'utf8'))
  }
}

/** Incomplete scopes, such as `pages P2 NEVER_READ`. */
export function missingOf({ scopes }: Pick<Manifest, 'scopes'>): string[] {
  return scopes
    .filter(({ status }) => status !== 'complete')
    .map(({ pid, stream, error }) => [stream, pid ?? '-', error?.code].join(' '))
}
