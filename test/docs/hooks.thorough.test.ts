/** @module-tag thorough */

import { execFile, execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment, run, scratchDirectory } from '@collab-etl/harness/commands'
import { startLocalPostgres } from '@collab-etl/harness/local-postgres'
import { startSandbox } from '@collab-etl/sandbox'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')

/** A server whose version pg_dump of the same packages can read. */
const SERVER = globSync('/usr/lib/postgresql/*/bin/postgres')
  .map((path) => dirname(dirname(path)))
  .at(-1)

const isInstalled = ['rclone', 'restic', 'pg_dump'].every((name) => {
  try {
    execFileSync(name, [name === 'pg_dump' ? '--version' : 'version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})

test.skipIf(!isInstalled || SERVER === undefined)(
  'the recipes for pg_dump, rclone and restic leave copies that can be restored',
  { timeout: 300_000 },
  async () => {
    const [, yaml = ''] = /<!-- file: collab\.yaml after -->\n```yaml\n([\s\S]*?)```/.exec(PAGE) ?? []
    await using stack = new AsyncDisposableStack()
    const { path } = stack.use(await scratchDirectory())
    const at = (name: string) => join(path, name)
    const postgres = await startLocalPostgres({ directory: SERVER ?? '', origin: 'Debian' })
    stack.defer(() => postgres.stop())
    const sandbox = await startSandbox({ projects: 2, tasks: 5, pages: 3, posts: 1, token: 'the-token-of-the-service' })
    stack.defer(() => sandbox.close())
    const address = new URL(postgres.url)
    const { password } = address
    address.password = ''
    const recipe = yaml
      .replaceAll('/mnt/offsite', at('offsite'))
      .replaceAll('/var/backups/collab', at('backups'))
      .replaceAll('postgres://collab@db.example.com/collab', address.href)
    const after = parse(recipe).nightly.after
    const nightly = { out: at('backups'), archive: { as: 'tar.gz', to: at('offsite') }, after }
    await writeFile(at('collab.yaml'), stringify({ base_url: sandbox.baseUrl, nightly }))
    await writeFile(at('pgpass'), `*:*:*:*:${password}\n`, { mode: 0o600 })
    await writeFile(at('restic-password'), 'a password\n', { mode: 0o600 })
    for (const name of ['offsite', 'remote', 'cache']) await mkdir(at(name))
    const tools = {
      PGPASSFILE: at('pgpass'),
      RCLONE_CONFIG: at('rclone.conf'),
      // a remote on this machine
      RCLONE_CONFIG_OFFSITE_TYPE: 'alias',
      RCLONE_CONFIG_OFFSITE_REMOTE: at('remote'),
      RESTIC_REPOSITORY: at('restic'),
      RESTIC_PASSWORD_FILE: at('restic-password'),
      RESTIC_CACHE_DIR: at('cache'),
    }
    const tool = async (name: string, ...args: string[]) =>
      (await promisify(execFile)(name, args, { cwd: path, env: { ...cleanEnvironment(), ...tools } })).stdout
    await writeFile(at('rclone.conf'), '')
    await tool('restic', 'init')

    const env = { ...tools, COLLAB_TOKEN: sandbox.token, DATABASE_URL: postgres.url }
    const ran = await run('collab-nightly', ['--json'], { cwd: path, env })
    expect(ran.stderr).toContain('"step":"after restic"')
    const { exit_code: code, steps, backup } = JSON.parse(ran.stdout)
    expect(steps.slice(-3).map(({ name, reason }: { name: string; reason: unknown }) => [name, reason])).toEqual([
      ...[
        ['after pg_dump', null],
        ['after rclone', null],
        ['after restic', null],
      ],
    ])
    expect(code).toBe(0)

    expect((await readdir(at('remote/collab'))).sort()).toEqual([`${backup.name}.tar.gz`, 'warehouse.dump'])
    expect(await run('collab-export', ['verify', at(`remote/collab/${backup.name}.tar.gz`)])).toMatchObject({ code: 0 })
    expect(await tool('pg_restore', '--list', at('remote/collab/warehouse.dump'))).toContain('TABLE DATA collab tasks')
    await tool('restic', 'restore', 'latest', '--target', at('restored'))
    const restored = join(at('restored'), at('backups'), backup.name)
    expect(existsSync(join(at('restored'), at('backups'), 'latest'))).toBe(true)
    expect(await run('collab-export', ['verify', restored])).toMatchObject({ code: 0 })
  },
)
