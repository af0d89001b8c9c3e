import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import type { Ran } from '@collab-etl/harness/commands'
import { type Authority, type Identity, makeAuthority } from '@collab-etl/harness/tls-identity'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'
import { tlsFront } from './support/front.ts'

interface Behind {
  readonly identity: (authority: Authority) => Promise<Identity>
  readonly trusted: boolean
  readonly env?: Readonly<Record<string, string>>
}

const FOR_LOOPBACK = (authority: Authority) => authority.identity('ip', '127.0.0.1', 24)
const BACKUP = ['backup', '--from', 'api', '--out', 'backups', '--retries', '1']

/** A service with a TLS certificate, and a command that reads it, with its authority as `--ca` or another one. */
async function readBehind(fixture: Fixture, { identity, trusted, env = {} }: Behind): Promise<Ran> {
  const authority = await makeAuthority()
  const sandbox = await fixture.startSandbox({ projects: 1, tasks: 3, archived: 1, pages: 2, posts: 1, events: 1 })
  await using front = await tlsFront(await identity(authority), sandbox.baseUrl)
  const ca = join(fixture.path, 'ca.pem')
  await writeFile(ca, trusted ? authority.pem : (rootCertificates[0] ?? ''))
  const baseUrl = `https://127.0.0.1:${front.port}`
  const ran = await fixture.run('collab-export', [...BACKUP, '--base-url', baseUrl, '--ca', ca], { env })
  if (ran.code !== 0) expect(sandbox.requests).toEqual([])
  return ran
}

/** One line, with the reason and the flag. */
function refusal(fixture: Fixture, ran: Ran, reason: RegExp) {
  const line = ran.stderr.split('\n').find((text) => text.startsWith('collab-export: '))
  expect(line).toMatch(reason)
  expect(line).toContain('--ca FILE')
  return fixture.named(ran, 1)
}

fault('a certificate of an unknown authority', async (fixture) => {
  const ran = await readBehind(fixture, { identity: FOR_LOOPBACK, trusted: false })
  return refusal(fixture, ran, /no secure connection to .*certificate is not trusted here/)
})

fault('a certificate of a private authority that --ca names', async (fixture) => {
  return fixture.cured(await readBehind(fixture, { identity: FOR_LOOPBACK, trusted: true }))
})

fault('a TLS certificate for another host', async (fixture) => {
  const identity = (authority: Authority) => authority.identity('dns', 'other.example', 24)
  return refusal(
    fixture,
    await readBehind(fixture, { identity, trusted: true }),
    /127\.0\.0\.1 is not in the cert's list.*for another host/,
  )
})

fault('an expired certificate', async (fixture) => {
  const identity = (authority: Authority) => authority.identity('ip', '127.0.0.1', 0.5)
  return refusal(fixture, await readBehind(fixture, { identity, trusted: true }), /expired.*must be renewed/)
})

fault('NODE_TLS_REJECT_UNAUTHORIZED=0', async (fixture) => {
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  const ran = await readBehind(fixture, { identity: FOR_LOOPBACK, trusted: false, env })
  expect(ran.stderr).toMatch(/^collab-export: NODE_TLS_REJECT_UNAUTHORIZED=0 .*--ca FILE/)
  return fixture.refused(ran)
})
