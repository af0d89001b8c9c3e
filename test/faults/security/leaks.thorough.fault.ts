/** @module-tag thorough */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Started } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'

const SIZES = { projects: 1, tasks: 3, archived: 1, pages: 2, posts: 1, events: 1 }

/** The diagnostic report that Node writes into the fixture, when it is complete. */
async function report(fixture: Fixture): Promise<string> {
  for (;;) {
    const name = (await readdir(fixture.path)).find((file) => file.startsWith('report.'))
    const text = name === undefined ? '' : await readFile(join(fixture.path, name), 'utf8')
    if (text.trimEnd().endsWith('}')) return text
    await sleep(20)
  }
}

fault('NODE_DEBUG traces every request, with the token in the URL', async (fixture) => {
  const sandbox = await fixture.startSandbox(SIZES)
  const ran = await fixture.run('collab-export', ['backup', '--from', 'api', '--out', 'backups'], {
    env: {
      COLLAB_BASE_URL: sandbox.baseUrl,
      COLLAB_TOKEN_IN: 'query',
      NODE_DEBUG: 'undici,fetch,http,https,net,tls,stream,url',
    },
  })
  expect(ran.stderr).toMatch(/sending request to GET .*access_token=\[secret\]/)
  return fixture.cured(ran)
})

fault('a diagnostic report of Node during a request', async (fixture) => {
  const sandbox = await fixture.startSandbox(SIZES)
  let command: Started | undefined
  let text = ''
  const stop = sandbox.beforeRequest(async () => {
    stop()
    command?.kill('SIGUSR2')
    text = await report(fixture)
  })
  const ran = await fixture.run('collab-export', ['backup', '--from', 'api', '--out', 'backups'], {
    env: {
      COLLAB_BASE_URL: sandbox.baseUrl,
      PGPASSWORD: fixture.databasePassword,
      NODE_OPTIONS: `--report-on-signal --report-uncaught-exception --report-on-fatalerror --report-directory=${fixture.path}`,
    },
    onStart: (started) => {
      command = started
    },
  })
  expect(text).toContain('"commandLine"')
  return fixture.cured(ran)
})
