import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { run, scratchDirectory } from '@collab-etl/harness/commands'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import { freshDatabase, onServer, postgresServer } from '@collab-etl/harness/postgres'
import { runScript } from '@collab-etl/harness/scripts'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const server = postgresServer()

let page = ''
let sandbox: Sandbox
let scratch: Awaited<ReturnType<typeof scratchDirectory>>
const dropped: (() => Promise<void>)[] = []
/** When the first of two nights was, and the name of its backup. */
let [firstNight, archived] = ['', '']

const at = (...parts: string[]) => join(scratch.path, ...parts)

describe.runIf(server !== null)('docs/recovery.md', () => {
  beforeAll(async () => {
    page = await readFile(join(ROOT, 'docs/recovery.md'), 'utf8')
    sandbox = await startSandbox({ seed: 3, projects: 3, tasks: 40, archived: 30, pages: 12, posts: 6, events: 12 })
    scratch = await scratchDirectory()
    await mkdir(at('offsite'))
    await makeEmptyWarehouse(at('collab-data'))
    await night()
    firstNight = new Date().toISOString()
    const pid = sandbox.pids[0] ?? ''
    sandbox.store.change(pid, ({ pages }) => pages.splice(-1, 1))
    archived = await night()
    const age = createRequire(join(ROOT, 'packages/bagit/package.json')).resolve('age-encryption')
    const { generateX25519Identity, identityToRecipient } = await import(age)
    const identity = await generateX25519Identity()
    await writeFile(at('key.txt'), `${identity}\n`, { mode: 0o600 })
    const to = at('offsite', `${archived}.tar.zst.age`)
    const words = ['archive', at('backups', archived), '--as', 'tar.zst', '--out', to]
    expect((await command('collab-export', ...words, '--encrypt', await identityToRecipient(identity))).code).toBe(0)
  }, 120_000)

  afterAll(async () => {
    await sandbox.close()
    for (const drop of dropped) await drop()
    await scratch[Symbol.asyncDispose]()
  })

  const env = () => ({ COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token })

  const command = (program: 'collab-extract' | 'collab-export', ...args: string[]) =>
    run(program, args, { cwd: scratch.path, env: env() })

  /** A snapshot and a backup; returns the name of the backup. */
  async function night(): Promise<string> {
    expect((await command('collab-extract', 'snapshot')).code).toBe(0)
    expect((await command('collab-export', 'backup', '--out', at('backups'), '--format', 'markdown,jsonl')).code).toBe(
      0,
    )
    const names = (await readdir(at('backups'))).filter((name) => /^\d/.test(name)).sort()
    return names.at(-1) ?? ''
  }

  /** Runs the commands of a case with the paths, ids and addresses of the test. */
  async function follow(name: string): Promise<string> {
    const [, script = ''] = new RegExp(`<!-- run: ${name} -->\n\`\`\`sh\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
    expect(script).not.toBe('')
    const [first = '', second = ''] = sandbox.pids
    const own = script
      .replaceAll('/var/backups/collab', at('backups'))
      .replaceAll('/mnt/offsite', at('offsite'))
      .replaceAll('/etc/collab/key.txt', at('key.txt'))
      .replaceAll('20260101T023000Z.tar.zst.age', `${archived}.tar.zst.age`)
      .replaceAll('postgres://loader@db.example.com/analytics', await emptyDatabase())
      .replaceAll('2026-01-01', firstNight)
      .replaceAll(/\bP1\b/g, first)
      .replaceAll(/\bP2\b/g, second)
      .replaceAll(/\bE1\b/g, sandbox.store.truth(second).entries[0]?.entry_id ?? '')
    return await runScript(own, { cwd: scratch.path, env: env() })
  }

  async function emptyDatabase(): Promise<string> {
    const { name, url, drop } = await freshDatabase(server ?? '')
    const role = `loader_${name}`
    await onServer(server ?? '', `CREATE ROLE ${role} LOGIN PASSWORD 'test'; ALTER DATABASE ${name} OWNER TO ${role}`)
    dropped.push(() => drop().then(() => onServer(server ?? '', `DROP ROLE ${role}`)))
    return Object.assign(new URL(url), { username: role, password: 'test' }).href
  }

  test('the database is gone', async () => {
    const output = await follow('database-gone')
    expect(output).toMatch(/^Loaded 2 backups /m)
    expect(output).toContain('succeeded')
  })

  test('a page, post or task was deleted', async () => {
    const pages = sandbox.store.truth(sandbox.pids[1] ?? '').pages.length
    const lost = sandbox.store.truth(sandbox.pids[0] ?? '').pages.length + 1
    await follow('record-deleted')
    expect(sandbox.store.truth(sandbox.pids[1] ?? '').pages).toHaveLength(pages + lost)
  })

  test('the disk with the backups is gone', async () => {
    await rename(at('backups'), at('lost'))
    await follow('backups-gone')
    expect((await readdir(at('backups'))).filter((name) => /^\d/.test(name))).toHaveLength(2)
    expect(await readdir(at('offsite'))).toContain('new.tar.zst')
  })

  testThoroughly('the service is shut down', async () => {
    expect(await follow('service-closed')).toMatch(/^Moved \d+ tables with /m)
    expect(await readdir(at('kept', 'latest', 'data'))).toContain('html')
  })

  testThoroughly('the machine is gone', async () => {
    await rm(at('collab-data'), { recursive: true })
    await rm(at('backups'), { recursive: true })
    expect(await follow('machine-gone')).toMatch(/^Loaded 1 backup /m)
    expect(await readdir(at('backups'))).toContain('latest')
  })
})
