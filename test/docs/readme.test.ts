import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment, scratchDirectory } from '@collab-etl/harness/commands'
import { freshDatabase, onServer, postgresServer } from '@collab-etl/harness/postgres'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const readme = await readFile(join(ROOT, 'README.md'), 'utf8')

/** Shell blocks under a `<!-- run: NAME -->` line, by name. */
const recipes = new Map(
  [...readme.matchAll(/<!-- run: ([\w-]+) -->\n```sh\n([\s\S]*?)```/g)].map(([, name = '', script = '']) => [
    name,
    script,
  ]),
)

let sandbox: Sandbox
let scratch: Awaited<ReturnType<typeof scratchDirectory>>
let database: Awaited<ReturnType<typeof freshDatabase>> | undefined

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 3, projects: 3, tasks: 40, archived: 30, pages: 12, posts: 6, events: 12 })
  scratch = await scratchDirectory()
  const server = postgresServer()
  if (server !== null) database = await databaseOfLoader(server)
  // Commands are found by `npx` as in a checkout; the token's file stands where the recipes say.
  await symlink(join(ROOT, 'node_modules'), join(scratch.path, 'node_modules'))
  await mkdir(join(scratch.path, 'backups'))
  await writeFile(join(scratch.path, 'token'), sandbox.token, { mode: 0o600 })
})

afterAll(async () => {
  await sandbox.close()
  await database?.drop()
  await scratch[Symbol.asyncDispose]()
})

/** A database whose owner can do nothing else, as the recipes have it: `query` refuses superusers. */
async function databaseOfLoader(server: string): Promise<Awaited<ReturnType<typeof freshDatabase>>> {
  const { name, url, drop } = await freshDatabase(server)
  const role = `loader_${name}`
  await onServer(server, `CREATE ROLE ${role} LOGIN PASSWORD 'test'; ALTER DATABASE ${name} OWNER TO ${role}`)
  const address = new URL(url)
  Object.assign(address, { username: role, password: 'test' })
  return { name, url: address.href, drop: () => drop().then(() => onServer(server, `DROP ROLE ${role}`)) }
}

/** Runs a recipe as it stands, but for the addresses and ids that every user puts their own in for. */
async function follow(name: string, env: Record<string, string> = {}): Promise<string> {
  const script = recipes.get(name)
  if (script === undefined) throw new Error(`README.md has no recipe "${name}"`)
  const [first = '', second = ''] = sandbox.pids
  const post = sandbox.store.truth(first).posts[0]?.post.post_id ?? ''
  const own = script
    .replaceAll('https://collab.example.com', sandbox.baseUrl)
    .replaceAll('/run/secrets/collab-token', join(scratch.path, 'token'))
    .replaceAll('/var/backups/collab', join(scratch.path, 'backups'))
    .replaceAll('postgres://loader@db.example.com/analytics', database?.url ?? '')
    .replaceAll(/\bP1\b/g, first)
    .replaceAll(/\bP2\b/g, second)
    // The third one is archived: nothing can be created in it.
    .replaceAll(/\bP3\b/g, second)
    .replaceAll(/\bE1\b/g, sandbox.store.truth(second).entries[0]?.entry_id ?? '')
    .replaceAll('20260101T023000Z', 'latest')
    .replaceAll(/,42\b/g, `,${post}`)
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', own], {
    cwd: scratch.path,
    env: { ...cleanEnvironment(), ...env },
  })
  return stdout
}

const service = () => ({ COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token })

describe('every recipe of the README works as it stands there', () => {
  test('the nightly backup, then sha256sum alone on the same backup', async () => {
    await follow('cron')
    expect(JSON.parse(await readFile(join(scratch.path, 'snapshot.json'), 'utf8'))).toMatchObject({
      status: 'succeeded',
    })
    expect(await readdir(join(scratch.path, 'backups'))).toContain('latest')
    await follow('sha256sum')
  })

  test('what changed between two nights, and a backup in one file', async () => {
    const output = await follow('elsewhere')
    expect(output).toContain('backup.tar.gz')
  })

  test.skipIf(postgresServer() === null)('the warehouse on Postgres', async () => {
    const output = await follow('warehouse', service())
    expect(output).toContain('succeeded')
    expect(output).toContain('The warehouse holds what the service has')
    expect(await readdir(join(scratch.path, 'warehouse-docs'))).toEqual(['data-dictionary.md', 'erd.mmd'])
  })

  test.skipIf(postgresServer() === null)('what was true on a day', async () => {
    const output = await follow('history', { DATABASE_URL: database?.url ?? '' })
    expect(output).toContain('completed_that_day')
  })

  test('posts named by hand', async () => {
    expect(await follow('posts', service())).toContain('posts')
  })

  test('the one-off migration', async () => {
    const output = await follow('migration', service())
    expect(output).toContain('pages.csv')
  })

  test('the way back into a service, tried first, then done', async () => {
    const before = sandbox.store.truth(sandbox.pids[1] ?? '').pages.length
    const pages = sandbox.store.truth(sandbox.pids[0] ?? '').pages.length
    await follow('restore', service())
    expect(sandbox.store.truth(sandbox.pids[1] ?? '').pages).toHaveLength(before + pages)
  })

  test('trees for another tool, and a site to be read offline', async () => {
    expect(await follow('offline', service())).toContain('index.html')
  })

  test('no recipe stands untested, and every shell block with a command of ours is a recipe or the two commands', () => {
    expect([...recipes.keys()].sort()).toEqual([
      'cron',
      'elsewhere',
      'history',
      'migration',
      'offline',
      'posts',
      'restore',
      'sha256sum',
      'warehouse',
    ])
    const blocks = [...readme.matchAll(/(<!-- run: [\w-]+ -->\n)?```sh\n([\s\S]*?)```/g)]
    const untested = blocks.filter(
      ([, marker, script]) => marker === undefined && !/npm (start|test)/.test(script ?? ''),
    )
    expect(untested).toEqual([])
  })
})

test('the settings and exit codes of the README are those of the commands', async () => {
  const { stdout } = await promisify(execFile)(join(ROOT, 'node_modules/.bin/collab-extract'), ['snapshot', '--help'], {
    env: { ...cleanEnvironment(), COLUMNS: '200' },
  })
  const flags = [...readme.matchAll(/^\| `(--[a-z-]+)/gm)].map(([, flag = '']) => flag)
  expect(flags.length).toBeGreaterThan(10)
  for (const flag of flags) expect(stdout).toContain(flag)
})
