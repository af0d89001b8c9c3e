/** @module-tag thorough */

import { readFileSync } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@collab-etl/harness/free-port'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'

const LOOPBACK = '0100007F'

/** Permissions of other users below a directory; files in an inaccessible directory are inaccessible. */
async function rightsOfOthers(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(folder, entry.name)
    const rights = (await stat(path)).mode & 0o777
    if ((rights & 0o077) === 0) continue
    found.push(`${path} ${rights.toString(8)}`)
    if (entry.isDirectory()) found.push(...(await rightsOfOthers(path)))
  }
  return found
}

/** Addresses, in hexadecimal, on which a process listens on the port; `undefined` for IPv6. */
function listeningOn(port: number): (string | undefined)[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
    [...readFileSync(table, 'utf8').matchAll(new RegExp(`^ *\\d+: ([0-9A-F]+):${hex} \\S+ 0A `, 'gm'))].map(
      ([, at]) => at,
    ),
  )
}

fault('umask 000 for snapshot, backup, archive, restore', async (fixture) => {
  const sandbox = await fixture.startSandbox({ projects: 2, tasks: 3, archived: 1, pages: 2, posts: 1, events: 1 })
  const [from = '', to = ''] = sandbox.pids
  const env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_DATA_DIR: 'data' }
  const data = join(fixture.path, 'data')
  const before = process.umask(0)
  try {
    // An existing directory: its files must be protected too.
    await mkdir(data)
    const formats = 'markdown,csv,jsonl,html'
    const made = [
      await fixture.run('collab-extract', ['snapshot'], { env }),
      await fixture.run('collab-export', ['backup', '--out', 'backups', '--format', formats], { env }),
      await fixture.run('collab-export', ['archive', 'backups/latest', '--as', 'zip', '--out', 'backup.zip'], {
        env,
      }),
    ]
    const args = ['restore', 'backups/latest', '--project', from, '--to-project', to]
    const restored = await fixture.run('collab-export', args, { env })
    expect(made.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(await rightsOfOthers(fixture.path)).toEqual([`${data} 777`])
    return fixture.named(restored, 3)
  } finally {
    process.umask(before)
  }
})

fault('the sandbox with its well-known token listens on loopback only', async (fixture) => {
  const port = await freePort()
  let seen: (string | undefined)[] = []
  const ran = await fixture.run('collab-sandbox', ['--port', String(port), '--tasks', '3'], {
    onStart: async (command) => {
      while (seen.length === 0) {
        await sleep(50)
        seen = listeningOn(port)
      }
      command.kill('SIGTERM')
    },
  })
  expect(seen).toEqual([LOOPBACK])
  return fixture.cured(ran)
})
