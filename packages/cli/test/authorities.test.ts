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

function withCa(text: string): Settings {
  using directory = scratch()
  writeFileSync(join(directory.path, 'ca.pem'), text)
  return resolveSettings({ flags: { ca: 'ca.pem' }, env: {}, directory: directory.path, groups: ['service'] })
}

function complaint(groups: readonly SettingGroup[], env: Record<string, string>, ca?: string): unknown {
  try {
    return resolveSettings({ flags: { ca }, env, directory: '/', groups })
  } catch (error) {
    return error
  }
}

test('all certificates of the file are taken, and nothing else of it', () => {
  expect(withCa(`a comment\n${first}\n${KEY}${second}\n`).ca?.pem).toBe(`${first}\n${second}`)
})

test.each([
  ['a key for a certificate', KEY, /ca\.pem holds none$/],
  ['an empty file', '', /ca\.pem holds none$/],
  [
    'a certificate that is none',
    `${first}\n${NO_CERTIFICATE}`,
    /ca\.pem, whose certificate 2 is none that can be read$/,
  ],
])('%s is a usage error of one line', (_edge, text, says) => {
  expect(() => withCa(text)).toThrow(UsageError)
  expect(() => withCa(text)).toThrow(says)
  expect(() => withCa(text)).not.toThrow(/hush|\n/)
})

test('a file that is not there is a usage error', () => {
  expect(complaint(['service'], {}, '/no/such.pem')).toMatchObject({
    name: 'UsageError',
    message: '--ca names /no/such.pem, which cannot be read (ENOENT)',
  })
})

test.each([['service'], ['warehouse']] as const)('with %s, certificates that are not verified are refused', (group) => {
  expect(complaint([group], { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toMatchObject({
    name: 'UsageError',
    message: expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED=0 switches off .*--ca FILE$/),
  })
})

test('a command without connections runs even where certificates are not verified', () => {
  expect(complaint([], { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toMatchObject({ schema: 'collab' })
  expect(complaint(['service'], { NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toMatchObject({ schema: 'collab' })
})
