import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolveSettings, type Settings } from '../src/settings/resolve.ts'
import { SETTINGS } from '../src/settings/table.ts'
import { scratch } from './fixture/run.ts'
import { settingTexts } from './fixture/setting-values.ts'

const VALUES = settingTexts()

async function resolved(key: keyof typeof SETTINGS, given: { flag?: string; env?: string; file?: string }) {
  using directory = scratch()
  const entry = SETTINGS[key]
  if (given.file !== undefined) writeFileSync(join(directory.path, 'collab.yaml'), `${entry.key}: ${given.file}\n`)
  const settings: Settings = await resolveSettings({
    flags: { [entry.flag]: given.flag },
    env: { [entry.env]: given.env },
    directory: directory.path,
    // The token's file is read with the service's settings; here its path alone is looked at.
    groups: key === 'tokenFile' ? [] : ['service', 'warehouse'],
  })
  const value: unknown = settings[key]
  // a number must be one, and not its text
  if (typeof SETTINGS[key].default === 'number') expect(value).toBeTypeOf('number')
  return value === undefined ? undefined : String(value)
}

const settings = Object.keys(VALUES).filter((key) => key !== 'tokenFile') as (keyof typeof SETTINGS)[]

describe.each(settings)('%s', (key) => {
  const [[flag, flagValue], [env, envValue], [file, fileValue]] = VALUES[key].map((of) =>
    typeof of === 'string' ? [of, of] : of,
  ) as [[string, string], [string, string], [string, string]]

  test('a flag beats the environment, which beats the file, which beats the default', async () => {
    expect(await resolved(key, { flag, env, file })).toBe(flagValue)
    expect(await resolved(key, { env, file })).toBe(envValue)
    expect(await resolved(key, { file })).toBe(fileValue)
    const fallback = SETTINGS[key].default
    if (key === 'dataDir') expect(await resolved(key, {})).toMatch(`/${fallback}`)
    else expect(await resolved(key, {})).toBe(fallback === undefined ? undefined : String(fallback))
  })

  test('a variable that is set to nothing is not set', async () => {
    expect(await resolved(key, { env: '', file })).toBe(fileValue)
  })
})

test('a directory given as a flag beats a database that the environment names', async () => {
  using directory = scratch()
  const env = { DATABASE_URL: 'postgres://h/d' }
  const of = (flags: Record<string, string>) =>
    resolveSettings({ flags, env, directory: directory.path, groups: ['warehouse'] })
  expect((await of({ 'data-dir': 'here' })).databaseUrl).toBeUndefined()
  expect(String((await of({ 'data-dir': 'here', 'database-url': 'postgres://h/e' })).databaseUrl)).toBe(
    'postgres://h/e',
  )
  expect(String((await of({})).databaseUrl)).toBe('postgres://h/d')
})

test('a setting of several values may be a list in the file', async () => {
  expect(await resolved('rateLimitCodes', { file: '[600429, 403]' })).toBe('600429,403')
  expect(await resolved('rateLimitCodes', { file: '[]' })).toBe('')
  await expect(resolved('rateLimitCodes', { file: '[[403]]' })).rejects.toThrow(
    /rate_limit_codes must be a single value or a list/,
  )
  await expect(resolved('retries', { file: '[3]' })).rejects.toThrow(/retries must be a single value$/)
})

describe('the token', () => {
  const FROM = { flag: 'from-flag-file', env: 'from-environment', envFile: 'from-env-file', file: 'from-config-file' }

  async function tokenOf(given: readonly (keyof typeof FROM)[]): Promise<string | undefined> {
    using directory = scratch()
    for (const text of Object.values(FROM)) writeFileSync(join(directory.path, text), `${text}\n`)
    if (given.includes('file')) writeFileSync(join(directory.path, 'collab.yaml'), `token_file: ${FROM.file}\n`)
    const { token } = await resolveSettings({
      flags: { 'token-file': given.includes('flag') ? FROM.flag : undefined },
      env: {
        COLLAB_TOKEN: given.includes('env') ? FROM.env : undefined,
        COLLAB_TOKEN_FILE: given.includes('envFile') ? FROM.envFile : undefined,
      },
      directory: directory.path,
      groups: ['service'],
    })
    return token?.reveal()
  }

  test('a flag beats the environment, which beats the file', async () => {
    expect(await tokenOf(['flag', 'env', 'file'])).toBe(FROM.flag)
    expect(await tokenOf(['flag', 'envFile', 'file'])).toBe(FROM.flag)
    expect(await tokenOf(['env', 'file'])).toBe(FROM.env)
    expect(await tokenOf(['envFile', 'file'])).toBe(FROM.envFile)
    expect(await tokenOf(['file'])).toBe(FROM.file)
    expect(await tokenOf([])).toBeUndefined()
  })

  test('both variables at once are refused, as either may be stale', async () => {
    await expect(tokenOf(['env', 'envFile'])).rejects.toThrow(/COLLAB_TOKEN and COLLAB_TOKEN_FILE are both set/)
  })
})

test('paths in the config file are relative to it, those of flags to the working directory', async () => {
  using directory = scratch()
  writeFileSync(join(directory.path, 'other.yaml'), 'data_dir: data\n')
  const read = async (flags: Record<string, string>) =>
    (await resolveSettings({ flags, env: {}, directory: '/', groups: ['warehouse'] })).dataDir
  expect(await read({ config: join(directory.path, 'other.yaml') })).toBe(join(directory.path, 'data'))
  expect(await read({ config: join(directory.path, 'other.yaml'), 'data-dir': 'data' })).toBe('/data')
})

describe('token_command', () => {
  /** The command that settings name; `prepare` gets the path of the config file of the working directory. */
  async function commandOf(prepare: (path: string) => void, given: { isNamed?: boolean; token?: string } = {}) {
    using directory = scratch()
    const path = join(directory.path, 'collab.yaml')
    writeFileSync(path, 'token_command: [cat, token]\n', { mode: 0o644 })
    prepare(path)
    const { tokenPlace } = await resolveSettings({
      flags: { config: given.isNamed === true ? path : undefined },
      env: { COLLAB_TOKEN: given.token },
      directory: directory.path,
      groups: ['service'],
    })
    return tokenPlace
  }

  const command = { kind: 'command', command: ['cat', 'token'] }

  test.for([0o620, 0o602])('of a file that others may write to is not run unless it is named: %o', async (mode) => {
    const prepare = (path: string) => chmodSync(path, mode)
    await expect(commandOf(prepare)).rejects.toThrow(
      'token_command of collab.yaml is not run, because other users may write to it: chmod go-w collab.yaml',
    )
    expect(await commandOf(prepare, { isNamed: true })).toEqual(command)
    expect(await commandOf(prepare, { token: 'text' })).toBeUndefined()
    expect(await commandOf((path) => chmodSync(path, 0o644))).toEqual(command)
  })

  test('of another user is not run unless its file is named', { skip: process.getuid?.() !== 0 }, async () => {
    const prepare = (path: string) => chownSync(path, 65_534, 65_534)
    await expect(commandOf(prepare)).rejects.toThrow(
      'it belongs to another user: if you trust it, give --config collab.yaml',
    )
    expect(await commandOf(prepare, { isNamed: true })).toEqual(command)
  })
})

test('settings of groups that a command does not use are not read, so they cannot stop it', async () => {
  const read = await resolveSettings({ flags: {}, env: { COLLAB_RATE: 'none' }, directory: '/', groups: ['warehouse'] })
  expect(read.ratePerSecond).toBeUndefined()
})
