import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settingsEnvironment } from '../src/index.ts'
import { resolveSettings, type SettingSources } from '../src/settings/resolve.ts'
import { SETTINGS, settingValues } from '../src/settings/table.ts'
import { runFixture, scratch } from './fixture/run.ts'
import { settingTexts } from './fixture/setting-values.ts'

/** A text of each setting as a user may write it, none of them its default. */
const GIVEN = {
  ...(Object.fromEntries(Object.entries(settingTexts()).map(([key, [first]]) => [key, [first].flat()[0]])) as Record<
    keyof typeof SETTINGS,
    string
  >),
  ...{
    tokenFile: 'token',
    databaseUrl: 'postgres://u:hush-hush@h/d',
    dataDir: 'data',
    retries: '7',
    logLevel: 'debug',
  },
}

/** The file of a directory in which a program may be started: nothing in it may count. */
const ELSEWHERE = 'retries: 77\nevents_window: 9d\n'

const SOURCES: Readonly<Record<string, (directory: string) => Pick<SettingSources, 'flags' | 'env'>>> = {
  flags: () => ({
    flags: Object.fromEntries(
      Object.entries(SETTINGS).map(([key, { flag }]) => [flag, GIVEN[key as keyof typeof GIVEN]]),
    ),
    env: {},
  }),
  environment: () => ({
    flags: {},
    env: Object.fromEntries(Object.entries(SETTINGS).map(([key, { env }]) => [env, GIVEN[key as keyof typeof GIVEN]])),
  }),
  file: (directory) => {
    const lines = Object.entries(SETTINGS).map(([key, entry]) => `${entry.key}: '${GIVEN[key as keyof typeof GIVEN]}'`)
    writeFileSync(join(directory, 'collab.yaml'), lines.join('\n'))
    return { flags: {}, env: {} }
  },
}

test.each(Object.keys(SOURCES))('a child program has every setting of the %s of its parent', async (source) => {
  using directory = scratch()
  using elsewhere = scratch()
  writeFileSync(join(directory.path, 'token'), 'token-of-the-file\n')
  writeFileSync(join(elsewhere.path, 'collab.yaml'), ELSEWHERE)
  const given = SOURCES[source]?.(directory.path)
  if (given === undefined) throw new Error(`no source is named ${source}`)
  const settings = await resolveSettings({ ...given, directory: directory.path, groups: ['service', 'warehouse'] })
  for (const key of Object.keys(SETTINGS) as (keyof typeof SETTINGS)[])
    expect(settings[key], key).not.toEqual(SETTINGS[key].default)
  const { code, stdout, stderr } = await runFixture(['show', '--json'], {
    cwd: elsewhere.path,
    env: settingsEnvironment(settings),
  })
  expect([code, stderr.includes('must ')]).toEqual([0, false])
  const child = JSON.parse(stdout)
  const { token_file: _path, ...shown } = settingValues(settings)
  const { token_file: _none, ...shownByChild } = settingValues({ ...child.settings, ca: child.passed.COLLAB_CA })
  expect(shownByChild).toEqual(shown)
  expect(child.passed).toEqual(settingsEnvironment(settings))
  expect(child.passed).toMatchObject({ COLLAB_TOKEN: 'token-of-the-file', DATABASE_URL: GIVEN.databaseUrl })
})
