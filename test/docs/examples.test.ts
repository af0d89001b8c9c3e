import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment, run, scratchDirectory } from '@collab-etl/harness/commands'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import { freshDatabase, onServer, postgresServer } from '@collab-etl/harness/postgres'
import { runScript } from '@collab-etl/harness/scripts'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const pages = globSync(['README.md', 'docs/**/*.md', '{packages,apps}/*/README.md'], { cwd: ROOT })
const texts = new Map(pages.map((page) => [page, readFileSync(join(ROOT, page), 'utf8')]))

const SHELL_BLOCK = /(?:<!-- run: ([\w-]+) -->\n)?```sh\n([\s\S]*?)```/g

/** Shell blocks under a `<!-- run: NAME -->` line, by name. */
const recipes = new Map(
  [...texts.values()].flatMap((text) =>
    [...text.matchAll(SHELL_BLOCK)].flatMap(([, name, script = '']): [string, string][] =>
      name === undefined ? [] : [[name, script]],
    ),
  ),
)

let sandbox: Sandbox
let scratch: Awaited<ReturnType<typeof scratchDirectory>>
let database: Awaited<ReturnType<typeof freshDatabase>> | undefined

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 3, projects: 3, tasks: 40, archived: 30, pages: 12, posts: 6, events: 12 })
  scratch = await scratchDirectory()
  const server = postgresServer()
  if (server !== null) database = await databaseOfLoader(server)
  await mkdir(join(scratch.path, 'backups'))
  await makeEmptyWarehouse(join(scratch.path, 'collab-data'))
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

/** Runs a recipe with the addresses and ids of the sandbox in place of those that users replace. */
async function follow(name: string, env: Record<string, string> = {}): Promise<string> {
  const script = recipes.get(name)
  if (script === undefined) throw new Error(`no page has a recipe "${name}"`)
  const [first = '', second = ''] = sandbox.pids
  const post = sandbox.store.truth(first).posts[0]?.post.post_id ?? ''
  const own = script
    .replaceAll('https://collab.example.com', sandbox.baseUrl)
    .replaceAll('https://api.worktile.com', sandbox.baseUrl)
    .replaceAll('/run/secrets/collab-token', join(scratch.path, 'token'))
    .replaceAll('/var/backups/collab', join(scratch.path, 'backups'))
    .replaceAll('cd /var/lib/collab', `cd ${scratch.path}`)
    .replaceAll('postgres://loader@db.example.com/analytics', database?.url ?? '')
    .replaceAll(/\bP1\b/g, first)
    .replaceAll(/\bP2\b/g, second)
    // The third one is archived: nothing can be created in it.
    .replaceAll(/\bP3\b/g, second)
    .replaceAll(/\bE1\b/g, sandbox.store.truth(second).entries[0]?.entry_id ?? '')
    .replaceAll('20260101T023000Z', 'latest')
    .replaceAll(/,42\b/g, `,${post}`)
  return await runScript(own, { cwd: scratch.path, env })
}

const service = () => ({ COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token })

describe('every example of the documentation runs as it is printed', () => {
  test('the nightly backup, then sha256sum alone on the same backup', async () => {
    await follow('cron')
    expect(JSON.parse(await readFile(join(scratch.path, 'snapshot.json'), 'utf8'))).toMatchObject({
      status: 'succeeded',
    })
    expect(await readdir(join(scratch.path, 'backups'))).toContain('latest')
    await follow('sha256sum')
  })

  test('what changed between two backups, and a backup in one file', async () => {
    const output = await follow('elsewhere')
    expect(output).toContain('backup.tar.gz')
  })

  test('the example of packages/backups compares two backups', async () => {
    const [, example = ''] = /```ts\n(.*?)```/s.exec(texts.get('packages/backups/README.md') ?? '') ?? []
    const source = example
      .replace("'/backups/20260101T020000Z'", JSON.stringify(join(scratch.path, 'backups/latest')))
      .replace("'/backups'", JSON.stringify(join(scratch.path, 'backups')))
      .replaceAll(/'@collab-etl\/backups(\/\w+)'/g, (_, part) =>
        JSON.stringify(join(ROOT, `packages/backups/dist${part}/index.js`)),
      )
    const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', source])
    expect(stdout.trim()).toBe('[]')
  })

  test.skipIf(postgresServer() === null)('the warehouse on Postgres', async () => {
    const output = await follow('warehouse', service())
    expect(output).toContain('succeeded')
    expect(output).toContain('The warehouse holds what the service has')
    const files = await readdir(join(scratch.path, 'warehouse-docs'))
    expect(files).toEqual(expect.arrayContaining(['data-dictionary.md', 'erd.mmd']))
  })

  if (postgresServer() !== null) {
    testThoroughly('a snapshot by a worker', async () => {
      const output = await follow('workers')
      expect(output).toContain('succeeded')
    })
  }

  test.skipIf(postgresServer() === null)('all records for a target, then what changed', async () => {
    await follow('tap')
    const [first = '', second = ''] = await Promise.all(
      ['first', 'second'].map((name) => readFile(join(scratch.path, `${name}.jsonl`), 'utf8')),
    )
    expect(first).toContain('"stream":"tasks","record":{"pid"')
    expect(second).toContain('"type":"SCHEMA","stream":"tasks"')
    expect(second).not.toContain('"stream":"tasks","record":{"pid"')
  })

  test.skipIf(postgresServer() === null)('what was true on a day', async () => {
    const output = await follow('history', { DATABASE_URL: database?.url ?? '' })
    expect(output).toContain('completed_that_day')
    expect(await follow('changes', { DATABASE_URL: database?.url ?? '' })).toMatch(
      /"table_name":"tasks".* added +tasks /s,
    )
  })

  test('the commands of the extractor, then of the exporter', async () => {
    expect(await follow('extractor', service())).toContain('pid,count')
    expect(await follow('ids', service())).toContain('task group')
    expect(await follow('export', service())).toMatch(/^tasks .* to \.\/then \(as of /ms)
    expect(await follow('exporter', service())).toContain('tar.gz')
  })

  test('the first run with a token', async () => {
    await writeFile(join(scratch.path, 'collab-token.json'), sandbox.token, { mode: 0o600 })
    await follow('first-run')
    expect(await readdir(join(scratch.path, 'collab-backup'))).toContain('latest')
  })

  test('posts named by hand', async () => {
    expect(await follow('posts', service())).toContain('posts')
  })

  test('the migration: export, dry run, restore', async () => {
    const before = sandbox.store.truth(sandbox.pids[1] ?? '').pages.length
    const pages = sandbox.store.truth(sandbox.pids[0] ?? '').pages.length
    expect(await follow('migration', service())).toContain('pages.csv')
    expect(sandbox.store.truth(sandbox.pids[1] ?? '').pages).toHaveLength(before + pages)
  })

  test('the files of other tools, without and with accounts of people', async () => {
    const output = await follow('convert')
    expect(output.match(/^Converted for Jira$/gm)).toHaveLength(2)
    expect(output).toMatch(/^Converted for Outline\n.* Markdown files/m)
  })

  test('trees for another tool, and an offline site', async () => {
    expect(await follow('offline', service())).toContain('index.html')
  })

  test('every shell block is an example that a test runs', () => {
    // Run by tests of the extractor (signing in), of the exporter (with a second service, or with other tools' rules), of recovery, of the nightly job, of the packages, and of the container.
    const elsewhere = [
      'accounts',
      'backups',
      'backups-gone',
      'container',
      'content',
      'database-gone',
      'docusaurus',
      'install',
      'machine-gone',
      'obsidian',
      'record-deleted',
      'restore',
      'restore-entries',
      'service-closed',
      'sign-in',
      'trial',
      'view',
      'wiki',
    ]
    const here = [
      'changes',
      'convert',
      'cron',
      'elsewhere',
      'export',
      'exporter',
      'extractor',
      'first-run',
      'history',
      'ids',
      'migration',
      'offline',
      'posts',
      'sha256sum',
      'tap',
    ]
    expect([...recipes.keys()].sort()).toEqual([...here, 'warehouse', 'workers', ...elsewhere].sort())
    const untested = [...texts].flatMap(([page, text]) =>
      [...text.matchAll(SHELL_BLOCK)]
        .filter(
          ([, name, script = '']) =>
            name === undefined && !/npm start|^(?:COLLAB_\w+=\S+ )*collab-(?:sandbox|nightly)\b/m.test(script),
        )
        .map(([block]) => `${page}: ${block}`),
    )
    expect(untested).toEqual([])
  })
})

describe('docs/settings.md', () => {
  const page = texts.get('docs/settings.md') ?? ''

  test('lists the settings of the commands: flags, variables and defaults', async () => {
    const { stdout } = await run('collab-extract', ['snapshot', '--help'])
    const [, section = ''] = /^Settings:\n([\s\S]*?)\n\n/m.exec(stdout) ?? []
    const known = [...section.matchAll(/^ {2,6}(--[a-z-]+)/gm)].map(([, flag = '']) => flag)
    const listed = [...page.matchAll(/^\| `(--[a-z-]+)/gm)].map(([, flag = '']) => flag)
    expect(known.length).toBeGreaterThan(10)
    expect(listed.sort()).toEqual(known.filter((flag) => !['--config', '--json', '--json-file'].includes(flag)).sort())
    for (const [, variable = ''] of section.matchAll(/\[((?:COLLAB_|DATABASE_)[A-Z_]+)\]/g))
      expect(page).toContain(`\`${variable}\``)
  })

  test('its collab.yaml is accepted, with every key', async () => {
    const [, yaml = ''] = /<!-- file: collab\.yaml -->\n```yaml\n([\s\S]*?)```/.exec(page) ?? []
    const keys = [...page.matchAll(/^\|(?:[^|]|\\\|)*\|[^|]*\| `([a-z_]+)` /gm)].map(([, key = '']) => key)
    expect(keys.length).toBeGreaterThan(15)
    expect(keys.filter((key) => !new RegExp(`^#?${key}:`, 'm').test(yaml))).toEqual([])
    const own = yaml
      .replaceAll('https://collab.example.com', sandbox.baseUrl)
      .replaceAll('https://api.worktile.com', sandbox.baseUrl)
      .replaceAll('/run/secrets/collab-token', join(scratch.path, 'token'))
    const file = join(scratch.path, 'documented.yaml')
    await writeFile(file, own)
    const { stdout } = await run('collab-export', [
      ...['backup', '--from', 'api', '--out', join(scratch.path, 'by-file'), '--config', file, '--json'],
      // flags take precedence over the file, whose limits would make the test wait
      ...['--rate', '1000', '--events-window', '1y'],
    ])
    expect(JSON.parse(stdout)).toHaveProperty('backup')
  })
})

test('docs/operations.md and the help have the same exit codes', async () => {
  const { stdout } = await run('collab-extract', ['--help'])
  const known = [...stdout.matchAll(/^ {2,5}(\d+) {2}/gm)].map(([, code = '']) => code)
  const listed = [...(texts.get('docs/operations.md') ?? '').matchAll(/^\| (\d+(?:, \d+)*) +\|/gm)].flatMap(
    ([, codes = '']) => codes.split(', '),
  )
  expect(listed).toEqual(known)
})

/** Runs a program without the settings of the user who runs the tests. */
async function execute(program: string, args: readonly string[]) {
  return await promisify(execFile)(program, args, { env: { ...cleanEnvironment(), COLUMNS: '200' } })
}
