import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { expect } from 'vitest'
import type { Command, Ran } from '../../harness/commands.ts'
import { fault } from '../frame/fault.ts'
import type { Ground } from '../frame/ground.ts'
import { type Authority, type Identity, makeAuthority } from './support/certificates.ts'
import { tlsFront } from './support/front.ts'

interface Behind {
  readonly identity: (authority: Authority) => Promise<Identity>
  readonly trusted: boolean
  readonly env?: Readonly<Record<string, string>>
}

const FOR_LOOPBACK = (authority: Authority) => authority.identity('ip', '127.0.0.1', 24)
const BACKUP = ['backup', '--from', 'api', '--out', 'backups', '--retries', '1']

/** A service that shows a certificate, and a command that reads it, with the certificate's authority as `--ca` or another one. */
async function readBehind(
  ground: Ground,
  { identity, trusted, env = {} }: Behind,
  command: Command = 'collab-export',
  args: readonly string[] = BACKUP,
): Promise<Ran> {
  const authority = await makeAuthority()
  const sandbox = await ground.startSandbox({ projects: 1, tasks: 3, archived: 1, pages: 2, posts: 1, events: 1 })
  await using front = await tlsFront(await identity(authority), sandbox.baseUrl)
  const ca = join(ground.path, 'ca.pem')
  await writeFile(ca, trusted ? authority.pem : (rootCertificates[0] ?? ''))
  const baseUrl = `https://127.0.0.1:${front.port}`
  const ran = await ground.run(command, [...args, '--base-url', baseUrl, '--ca', ca], { env })
  if (ran.code !== 0) expect(sandbox.requests).toEqual([])
  return ran
}

/** One line, with the reason and the flag. */
function refusal(ground: Ground, ran: Ran, reason: RegExp) {
  const line = ran.stderr.split('\n').find((text) => text.startsWith('collab-export: '))
  expect(line).toMatch(reason)
  expect(line).toContain('--ca FILE')
  return ground.named(ran, 1)
}

fault(
  {
    room: 'security',
    name: 'unknown authority',
    does: 'the service shows a certificate of an authority that nobody knows',
    holds: 'no token is sent; one line says why, and names --ca',
  },
  async (ground) => {
    const ran = await readBehind(ground, { identity: FOR_LOOPBACK, trusted: false })
    return refusal(ground, ran, /no secure connection to .*certificate is not trusted here/)
  },
)

fault(
  {
    room: 'security',
    name: 'authority of your own',
    does: 'the same, and --ca names that authority to the main job',
    holds: 'its snapshot and its backup are whole',
  },
  async (ground) => {
    const behind = { identity: FOR_LOOPBACK, trusted: true }
    return ground.cured(await readBehind(ground, behind, 'collab-nightly', ['--out', 'backups', '--data-dir', 'data']))
  },
)

fault(
  {
    room: 'security',
    name: 'wrong host name',
    does: 'a trusted authority signed the certificate, but for another host',
    holds: 'no token is sent; one line says that it is for another one',
  },
  async (ground) => {
    const identity = (authority: Authority) => authority.identity('dns', 'other.example', 24)
    return refusal(
      ground,
      await readBehind(ground, { identity, trusted: true }),
      /127\.0\.0\.1 is not in the cert's list.*for another host/,
    )
  },
)

fault(
  {
    room: 'security',
    name: 'expired certificate',
    does: 'the certificate of the service was good until half an hour ago',
    holds: 'no token is sent; one line says that it has expired',
  },
  async (ground) => {
    const identity = (authority: Authority) => authority.identity('ip', '127.0.0.1', 0.5)
    return refusal(ground, await readBehind(ground, { identity, trusted: true }), /expired.*must be renewed/)
  },
)

fault(
  {
    room: 'security',
    name: 'verification switched off',
    does: 'the environment holds NODE_TLS_REJECT_UNAUTHORIZED=0',
    holds: 'nothing is begun; one line names --ca instead',
  },
  async (ground) => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    const ran = await readBehind(ground, { identity: FOR_LOOPBACK, trusted: false, env })
    expect(ran.stderr).toMatch(/^collab-export: NODE_TLS_REJECT_UNAUTHORIZED=0 .*--ca FILE/)
    return ground.refused(ran)
  },
)
