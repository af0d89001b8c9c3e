import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Started } from '../../harness/commands.ts'
import { freshDatabase } from '../../harness/postgres.ts'
import { ask, serverForFaults } from '../database/server.ts'
import { fault } from '../frame/fault.ts'
import type { Ground } from '../frame/ground.ts'

const SIZES = { projects: 1, tasks: 3, archived: 1, pages: 2, posts: 1, events: 1 }

/** The report that Node writes into the ground, once it is whole. */
async function report(ground: Ground): Promise<string> {
  for (;;) {
    const name = (await readdir(ground.path)).find((file) => file.startsWith('report.'))
    const text = name === undefined ? '' : await readFile(join(ground.path, name), 'utf8')
    if (text.trimEnd().endsWith('}')) return text
    await sleep(20)
  }
}

fault(
  {
    room: 'security',
    name: 'traces of Node',
    does: 'NODE_DEBUG has Node and its HTTP client trace every request, with the token in the address',
    holds: 'the traces come, without the token',
  },
  async (ground) => {
    const sandbox = await ground.startSandbox(SIZES)
    const ran = await ground.run('collab-export', ['backup', '--from', 'api', '--out', 'backups'], {
      env: {
        ...{ COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN_IN: 'query' },
        NODE_DEBUG: 'undici,fetch,http,https,net,tls,stream,url',
      },
    })
    expect(ran.stderr).toMatch(/sending request to GET .*access_token=\[secret\]/)
    return ground.cured(ran)
  },
)

fault(
  {
    room: 'security',
    name: 'crash report',
    does: 'Node is told to report on its state while a request is under way; the environment holds token and password',
    holds: 'the report has neither environment nor secrets',
  },
  async (ground) => {
    const sandbox = await ground.startSandbox(SIZES)
    let command: Started | undefined
    let text = ''
    const stop = sandbox.beforeRequest(async () => {
      stop()
      command?.kill('SIGUSR2')
      text = await report(ground)
    })
    const ran = await ground.run('collab-export', ['backup', '--from', 'api', '--out', 'backups'], {
      env: {
        ...{ COLLAB_BASE_URL: sandbox.baseUrl, PGPASSWORD: ground.databasePassword },
        NODE_OPTIONS: `--report-on-signal --report-uncaught-exception --report-on-fatalerror --report-directory=${ground.path}`,
      },
      onStart: (started) => {
        command = started
      },
    })
    expect(text).toContain('"commandLine"')
    return ground.cured(ran)
  },
)

fault(
  {
    room: 'security',
    name: 'wrong database password',
    does: 'the database refuses the password of its address',
    holds: 'one line names database and user, and no password',
  },
  async (ground) => {
    const database = await freshDatabase(serverForFaults())
    const role = new URL(database.url).pathname.slice(1)
    try {
      await ask(database.url, `CREATE ROLE ${role} LOGIN PASSWORD 'another one'`)
      const address = Object.assign(new URL(database.url), { username: role, password: ground.databasePassword })
      const ran = await ground.run('collab-extract', ['init'], { env: { DATABASE_URL: address.href } })
      expect(ran.stderr).toMatch(
        new RegExp(`^collab-extract: the database postgres://${role}@.* refused: .*password`, 'm'),
      )
      await ask(database.url, `DROP ROLE ${role}`)
      return ground.named(ran, 1)
    } finally {
      await database.drop()
    }
  },
)
