import { hash } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backend } from '@collab-etl/harness/backends'
import { type Ran, type RunOptions, run, scratchDirectory } from '@collab-etl/harness/commands'
import type { Sandbox } from '@collab-etl/sandbox'
import { openWarehouse, TABLES } from '@collab-etl/warehouse'

/** Rows of all tables as sorted lines of JSON, by table. */
export type Lines = Readonly<Record<string, readonly string[]>>

/** A warehouse that reads a service, its backups, and warehouses that are loaded from these. */
export class LoadPlace implements AsyncDisposable {
  readonly path: string
  readonly #backend: Backend
  readonly #env: Readonly<Record<string, string>>
  readonly #opened: AsyncDisposable[]

  private constructor(
    path: string,
    backend: Backend,
    env: Readonly<Record<string, string>>,
    opened: AsyncDisposable[],
  ) {
    this.path = path
    this.#backend = backend
    this.#env = env
    this.#opened = opened
  }

  static async open(backend: Backend, { baseUrl, token }: Pick<Sandbox, 'baseUrl' | 'token'>): Promise<LoadPlace> {
    const [warehouse, scratch] = [await backend.open(), await scratchDirectory()]
    const env = { ...warehouse.env, COLLAB_BASE_URL: baseUrl, COLLAB_TOKEN: token, COLLAB_LOG_LEVEL: 'warn' }
    return new LoadPlace(scratch.path, backend, env, [warehouse, scratch])
  }

  get backups(): string {
    return join(this.path, 'backups')
  }

  /** The settings of the first warehouse. */
  get source(): Readonly<Record<string, string>> {
    return this.#env
  }

  snapshot(...args: readonly string[]): Promise<Ran> {
    return run('collab-extract', ['snapshot', ...args], { env: this.#env })
  }

  /** Writes a backup of the first warehouse; gives its path. */
  async backup(format: string, ...args: readonly string[]): Promise<string> {
    const flags = ['backup', '--out', this.backups, '--from', 'warehouse', '--format', format, '--json', ...args]
    const { code, stderr } = await run('collab-export', flags, { env: this.#env })
    if (code !== 0 && code !== 3) throw new Error(`the backup ended with ${code}: ${stderr}`)
    const names = (await readdir(this.backups)).filter((name) => /^\d{8}T/.test(name))
    return join(this.backups, names.sort().at(-1) ?? '')
  }

  /** The settings of another, empty warehouse, which lacks an address and a token. */
  async empty(): Promise<Readonly<Record<string, string>>> {
    const warehouse = await this.#backend.open()
    this.#opened.push(warehouse)
    return { ...warehouse.env, COLLAB_LOG_LEVEL: 'warn' }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const opened of this.#opened.reverse()) await opened[Symbol.asyncDispose]()
  }
}

export function load(env: Readonly<Record<string, string>>, from: string, options: RunOptions = {}): Promise<Ran> {
  return run('collab-extract', ['load', from, '--json'], { ...options, env })
}

/** The live rows, now or at a time, with every column that a version has; personal webhooks are in no backup. */
export async function linesOf(env: Readonly<Record<string, string>>, at?: string): Promise<Lines> {
  const { DATABASE_URL: databaseUrl, COLLAB_DATA_DIR: dataDir = '' } = env
  const warehouse = await openWarehouse({ ...(databaseUrl && { databaseUrl }), dataDir, schema: 'collab' })
  try {
    const lines: Record<string, string[]> = {}
    for (const { name, columns } of TABLES) {
      // one that has no versions: only its last value is known
      const volatile = columns.flatMap((column) => (column.volatile === true ? column.name : []))
      const left = ['valid_from', 'deleted_at', 'record_hash', ...volatile].map((column) => `'${column}'`).join(', ')
      const from = at === undefined ? `collab.live_${name}` : `collab.${name}_as_of('${at}')`
      const { rows } = await warehouse.rows.query(
        `SELECT (to_jsonb(t) - ARRAY[${left}])::text FROM ${from} t ${name === 'webhooks' ? 'WHERE pid IS NOT NULL' : ''} ORDER BY 1`,
      )
      lines[name] = rows.map(([row]) => String(row))
    }
    return lines
  } finally {
    await warehouse.close()
  }
}

/** When the last run began. */
export async function lastRun(env: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await run('collab-extract', ['runs', '--json', '--limit', '1'], { env })
  if (code !== 0) throw new Error(stderr)
  const { runs } = JSON.parse(stdout) as { runs: readonly { started_at: string }[] } // the shape that `runs --json` promises
  return runs[0]?.started_at ?? ''
}

/** Changes a file of a bag, and what its manifests say of it. */
export async function edit(
  bag: string,
  path: string,
  manifest: string,
  change: (text: string) => string,
): Promise<void> {
  const before = await readFile(join(bag, path), 'utf8')
  const after = change(before)
  if (after === before) throw new Error(`${path} has no such text`)
  await rm(join(bag, path))
  await writeFile(join(bag, path), after)
  const replace = (text: string) => text.replace(hash('sha256', before), hash('sha256', after))
  if (manifest === 'manifest-sha256.txt') await edit(bag, manifest, 'tagmanifest-sha256.txt', replace)
  else {
    const tags = join(bag, manifest)
    const listed = replace(await readFile(tags, 'utf8'))
    await rm(tags)
    await writeFile(tags, listed)
  }
}
