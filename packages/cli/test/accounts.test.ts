import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { UsageError } from '../src/index.ts'
import { resolveSettings, type SettingSources } from '../src/settings/resolve.ts'
import { accountsOf, hasToken, onlyTokens } from '../src/tokens.ts'
import { scratch } from './fixture/run.ts'

const TWO = `base_url: https://a.example
accounts:
  - { name: anna, token_file: anna }
  - { name: ben-2_x, token_command: [vault, ./read, 7], rate: 0.5 }
`

/** The settings of a config file, or the error that they are. */
async function settingsOf(file: string, more: Partial<SettingSources> = {}, mode = 0o644) {
  using directory = scratch()
  const path = join(directory.path, 'collab.yaml')
  writeFileSync(path, file)
  chmodSync(path, mode)
  writeFileSync(join(directory.path, 'token'), 'of-the-file\n')
  const sources = { flags: {}, env: {}, directory: directory.path, groups: ['service'] as const, ...more }
  return { ...(await resolveSettings(sources)), directory: directory.path }
}

const problemOf = async (...of: Parameters<typeof settingsOf>) => {
  const error: unknown = await settingsOf(...of).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UsageError)
  return (error as UsageError).message // by the line above
}

test('accounts of the config file: names, files beside it, programs, rates', async () => {
  const settings = await settingsOf(TWO)
  const anna = { kind: 'file', path: join(settings.directory, 'anna'), given: 'anna' }
  const ben = { kind: 'command', command: ['vault', './read', '7'] }
  expect(settings.accounts).toEqual([
    { name: 'anna', place: anna, ratePerSecond: undefined },
    { name: 'ben-2_x', place: ben, ratePerSecond: 0.5 },
  ])
  expect([settings.token, settings.tokenPlace, hasToken(settings), settings.limitedPer]).toEqual([
    ...[undefined, undefined],
    ...[true, 'service'],
  ])
})

test.each<readonly [file: string, says: RegExp]>([
  ['accounts:', /^collab\.yaml:1: accounts must be a list of accounts, such as/],
  ['accounts: []', /^collab\.yaml:1: accounts must be a list of accounts/],
  ['accounts: { anna: a }', /^collab\.yaml:1: accounts must be a list of accounts/],
  ['accounts:\n  - anna', /^collab\.yaml:2: accounts\.0 must be an account, such as/],
  ['accounts:\n  - { token_file: a }', /^collab\.yaml:2: accounts\.0 must have a name$/],
  ['accounts:\n  - { name: anna }', /^collab\.yaml:2: accounts\.0 must have either token_file or token_command/],
  ['accounts:\n  - { name: a, token_file: a, token_command: [cat] }', /accounts\.0 must have either token_file or/],
  [
    'accounts:\n  - { name: a, token_file: a }\n  - { name: a, token_file: b }',
    /:3: accounts\.1\.name .* two accounts a$/,
  ],
  [
    'accounts:\n  - { name: a, token_file: a }\n  - { name: b, token_file: ./a }',
    /:3: accounts\.1 must have a token of its own, not that of a$/,
  ],
  ['accounts:\n  - { name: default, token_file: a }', /accounts\.0\.name must not be default, which is/],
  ...['a b', 'ä', '""', '[a]', 'a.b', 'x'.repeat(65)].map(
    (name) =>
      [`accounts:\n  - name: ${name}\n    token_file: a`, /:2: accounts\.0\.name must be 1 to 64 letters/] as const,
  ),
  ['accounts:\n  - { name: a, token: hush }', /accounts\.0\.token must not be in a config file: set token_file$/],
  ['accounts:\n  - { name: a, token-file: a }', /accounts\.0\.token-file is not one of .*did you mean token_file\?/],
  ['accounts:\n  - { name: a, token_file: [a] }', /accounts\.0\.token_file must be the path of a file/],
  ['accounts:\n  - { name: a, token_file: }', /accounts\.0\.token_file must be the path of a file/],
  [
    'accounts:\n  - { name: a, token_command: cat a }',
    /accounts\.0\.token_command must be a program and its arguments/,
  ],
  ...['0', 'fast', '-1', '1e9', ''].map(
    (rate) =>
      [`accounts:\n  - { name: a, token_file: a, rate: ${rate} }`, /accounts\.0\.rate must be a number/] as const,
  ),
])('%j is refused with its place', async (file, says) => {
  const problem = await problemOf(file)
  expect(problem).toMatch(says)
  expect(problem).not.toMatch(/hush|\n/)
})

test.each([
  ['COLLAB_TOKEN', '', { env: { COLLAB_TOKEN: 'hush' } }],
  ['COLLAB_TOKEN_FILE', '', { env: { COLLAB_TOKEN_FILE: 'token' } }],
  ['--token-file', '', { flags: { 'token-file': 'token' } }],
  ['collab.yaml:5: token_file', 'token_file: token\n', {}],
  ['token_command', 'token_command: [cat, token]\n', {}],
])('%s and accounts exclude each other', async (other, more, given) => {
  expect(await problemOf(TWO + more, given)).toBe(`${other} and accounts are both set: remove or unset one`)
})

test('programs of accounts are not run from a file that others may write to', async () => {
  expect(await problemOf(TWO, {}, 0o666)).toMatch(/^token_command of collab\.yaml is not run, because other users/)
  expect((await settingsOf(TWO, { skipsToken: true }, 0o666)).accounts).toHaveLength(2)
})

/** The accounts of two token files; a text of `null` leaves the file out. */
async function opened(anna: string | null, ben: string | null) {
  const directory = scratch()
  onTestFinished(() => directory[Symbol.dispose]())
  const file = TWO.replace(/token_command.*\]/, 'token_file: ben')
  const settings = await settingsOf(file.replaceAll('token_file: ', `token_file: ${directory.path}/`))
  if (anna !== null) writeFileSync(join(directory.path, 'anna'), anna, { mode: 0o600 })
  if (ben !== null) writeFileSync(join(directory.path, 'ben'), ben, { mode: 0o600 })
  const secrets: string[] = []
  const hooks = { signal: AbortSignal.any([]), onSecret: (text: string) => secrets.push(text), onWarning: () => {} }
  return { accounts: accountsOf(settings, undefined, hooks), secrets }
}

test('each account has its own token and rate, and every token is hidden', async () => {
  const { accounts, secrets } = await opened('token-of-anna\n', 'token-of-ben\n')
  const [anna, ben] = await accounts()
  expect([anna?.name, await anna?.tokens.current(), anna?.ratePerSecond]).toEqual(['anna', 'token-of-anna', undefined])
  expect([ben?.name, await ben?.tokens.current(), ben?.ratePerSecond]).toEqual(['ben-2_x', 'token-of-ben', 0.5])
  expect(secrets).toEqual(['token-of-anna', 'token-of-ben'])
  await expect(onlyTokens(accounts)).rejects.toThrow('give --config FILE with a token_file instead')
})

test('an account whose token cannot be read fails by itself', async () => {
  const { accounts } = await opened('token-of-anna\n', null)
  const [anna, ben] = await accounts()
  expect(await anna?.tokens.current()).toBe('token-of-anna')
  const problem = /^token_file: the token file \S+ben cannot be read \(ENOENT\)$/
  await expect(ben?.tokens.current()).rejects.toThrow(problem)
  await expect(ben?.tokens.renew('')).rejects.toThrow(problem)
})
