/** @module-tag thorough */

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@collab-etl/harness/free-port'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'
import { nightByProxy, PROXY_USER } from './support/night-by-proxy.ts'

const lack = (() => {
  try {
    execFileSync('squid', ['-v'], { stdio: 'ignore' })
    return null
  } catch {
    return 'squid is not installed'
  }
})()

const AUTHENTICATES = '/usr/lib/squid/basic_ncsa_auth'

/** Squid, which lets one user make tunnels to names of its own. @returns its port, and what it logged */
async function startSquid(fixture: Fixture): Promise<{ readonly port: number; readonly log: () => Promise<string> }> {
  // it runs as a user of its own
  const directory = await mkdtemp(join(tmpdir(), 'squid-'))
  await chmod(directory, 0o777)
  const hash = execFileSync('openssl', ['passwd', '-apr1', '-stdin'], { input: fixture.databasePassword })
    .toString()
    .trim()
  await writeFile(join(directory, 'users'), `${PROXY_USER}:${hash}\n`)
  await writeFile(join(directory, 'hosts'), '127.0.0.1 service.test hooks.test\n')
  const port = await freePort()
  const lines = [
    `http_port 127.0.0.1:${port}`,
    `hosts_file ${directory}/hosts`,
    `auth_param basic program ${AUTHENTICATES} ${directory}/users`,
    'acl known proxy_auth REQUIRED',
    'http_access allow known',
    'http_access deny all',
    'cache deny all',
    'pid_filename none',
    'shutdown_lifetime 0 seconds',
    `access_log stdio:${directory}/access.log`,
    `cache_log ${directory}/cache.log`,
    'cache_store_log none',
  ]
  await writeFile(join(directory, 'squid.conf'), `${lines.join('\n')}\n`)
  const squid = spawn('squid', ['-N', '-f', join(directory, 'squid.conf')], { stdio: 'ignore' })
  const ended = once(squid, 'exit')
  fixture.defer(async () => {
    squid.kill('SIGKILL')
    await ended
    await rm(directory, { recursive: true, force: true })
  })
  while (!(await isListening(port))) {
    if (squid.exitCode !== null) throw new Error(await readFile(join(directory, 'cache.log'), 'utf8'))
    await sleep(50)
  }
  return { port, log: () => readFile(join(directory, 'access.log'), 'utf8') }
}

function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1')
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

fault(
  'squid with a password before service, pings and notifications',
  async (fixture) => {
    const { port, log } = await startSquid(fixture)
    const ran = await nightByProxy(fixture, `http://${PROXY_USER}:${fixture.databasePassword}@127.0.0.1:${port}`)
    expect(await log()).toMatch(/CONNECT service\.test:\d+ ada/)
    return fixture.cured(ran)
  },
  lack,
)

fault(
  'squid that refuses the password, or the host',
  async (fixture) => {
    const { port } = await startSquid(fixture)
    const snapshot = (base: string, password: string) =>
      fixture.run('collab-extract', ['check'], {
        env: {
          COLLAB_BASE_URL: base,
          COLLAB_RETRIES: '0',
          http_proxy: `http://${PROXY_USER}:${password}@127.0.0.1:${port}`,
        },
      })
    for (const base of ['http://service.test:9', 'https://service.test:9']) {
      const { stdout } = await snapshot(base, 'another')
      expect(stdout).toContain(`the proxy 127.0.0.1:${port} accepts only users it knows (HTTP 407)`)
    }
    // nothing listens there
    const ran = await snapshot('https://service.test:9', fixture.databasePassword)
    expect(ran.stdout).toContain(`the proxy 127.0.0.1:${port} gives no connection to service.test:9 (HTTP 503)`)
    return fixture.named(ran)
  },
  lack,
)
