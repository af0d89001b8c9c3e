import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'

/** Creates a backup and an archive of it. */
async function archive(fixture: Fixture, format: 'tar.gz' | 'zip'): Promise<{ name: string; path: string }> {
  const sandbox = await fixture.startSandbox({ projects: 1, tasks: 1, archived: 0, pages: 3, posts: 1 })
  const args = ['backup', '--from', 'api', '--out', 'backups', '--format', 'csv', '--archive', format]
  expect((await fixture.run('collab-export', args, { env: { COLLAB_BASE_URL: sandbox.baseUrl } })).code).toBe(0)
  const name = (await readdir(join(fixture.path, 'backups'))).find((entry) => entry.endsWith(format)) ?? ''
  expect((await fixture.run('collab-export', ['verify', `backups/${name}`])).code).toBe(0)
  return { name: name.slice(0, -format.length - 1), path: join(fixture.path, 'backups', name) }
}

fault('a tar to which a symbolic link was appended', async (fixture) => {
  const { name, path } = await archive(fixture, 'tar.gz')
  const steps = [
    `gunzip < '${path}' > all.tar`,
    `mkdir -p '${name}/data/csv' && ln -s /etc/passwd '${name}/data/csv/pages.csv'`,
    `tar --format=ustar -rf all.tar '${name}/data/csv/pages.csv' && gzip < all.tar > '${path}'`,
    `mkdir out && tar -C out -xzf '${path}' && test -L 'out/${name}/data/csv/pages.csv' && rm -r out`,
  ]
  await promisify(execFile)('bash', ['-euc', steps.join('\n')], { cwd: fixture.path })
  const ran = await fixture.run('collab-export', ['verify', path])
  expect(ran.stdout).toMatch(/pages\.csv.*symbolic link/)
  return fixture.named(ran, 5)
})

fault('a zip with two names for one file', async (fixture) => {
  const { name, path } = await archive(fixture, 'zip')
  const bytes = await readFile(path)
  const at = bytes.indexOf(`${name}/data/csv/pages.csv`)
  bytes.write('PAGES', at + name.length + '/data/csv/'.length)
  await writeFile(path, bytes)
  const ran = await fixture.run('collab-export', ['verify', path])
  expect(ran.stdout).toMatch(/differ in the name of .*pages\.csv/)
  return fixture.named(ran, 5)
})
