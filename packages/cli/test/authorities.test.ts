import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { UsageError } from '../src/index.ts'
import { resolveSettings, type Settings } from '../src/settings/resolve.ts'
import type { SettingGroup } from '../src/settings/table.ts'
import { scratch } from './fixture/run.ts'

const [first = '', second = ''] = rootCertificates
const NO_CERTIFICATE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const KEY = '-----BEGIN PRIVATE KEY-----\nhush\n-----END PRIVATE KEY-----\n'

async function withCa(text: string): Promise<Settings> {
  using directory = scratch()
  writeFileSync(join(directory.path, 'ca.pem'), text)
  return await resolveSettings({ flags: { ca: 'ca.pem' }, env: {}, directory: directory.path, groups: ['service'] })
}

function complaint(groups: readonly SettingGroup[], env: Record<string, string>, ca?: string): Promise<unknown> {
  return resolveSettings({ flags: { ca }, env, directory: '/', groups }).catch((error: unknown) => error)
}

test('all certificates of the file are taken, and nothing else of it', async () => {
  const { ca } = await withCa(`a comment\n${first}\n${KEY}${second}\n`)
  expect(ca?.pem).toBe(`${first}\n${second}`)
})

test.each([
  ['a key for a certificate', KEY, /ca\.pem holds none$/],
  ['an empty file', '', /ca\.pem holds none$/],
  [
    'a certificate that is none',
    `${first}\n${NO_CERTIFICATE}`,
    /ca\.pem, whose certificate 2 is none that can be read$/,
  ],
])('%s is a usage error of one line', async (_edge, text, says) => {
  await expect(withCa(text)).rejects.toThrow(UsageError)
  await expect(withCa(text)).rejects.toThrow(says)
  await expect(withCa(text)).rejects.not.toThrow(/hush|\n/)
})

test('a file that is not there is a usage error', async () => {
  expect(await complaint(['service'], {}, '/no/such.pem')).toMatchObject({
    name: 'UsageError',
    message: '--ca names /no/such.pem, which cannot be read (ENOENT)',
  })
})

test.each([['service'], ['warehouse']] as const)(
  'with %s, certificates that are not verified are refused',
  async (group) => {
    expect(await complaint([group], { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED=0 switches off .*--ca FILE$/),
    })
  },
)

test('a command without connections runs even where certificates are not verified', async () => {
  expect(await complaint([], { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toMatchObject({ schema: 'collab' })
  expect(await complaint(['service'], { NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toMatchObject({ schema: 'collab' })
})
