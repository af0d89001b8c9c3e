import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { settingsFlags, shellQuoted, typedName } from '../src/index.ts'
import { resolveSettings } from '../src/settings/resolve.ts'

test('a command line to copy has what differs from the defaults, and no secret', async () => {
  const settings = await resolveSettings({
    flags: { 'data-dir': "/data of Ada's", concurrency: '3' },
    env: { DATABASE_URL: 'postgres://u:hush@h/d', COLLAB_SCHEMA: 'other' },
    directory: '/',
    groups: ['service', 'warehouse'],
  })
  expect(settingsFlags(settings, 'warehouse')).toBe(` --data-dir '/data of Ada'\\''s' --schema other`)
  expect(settingsFlags(settings, 'service')).toBe(' --concurrency 3')
})

test('a command line to copy names the config file, unless the working directory has it', async () => {
  const settings = await resolveSettings({ flags: {}, env: {}, directory: '/', groups: ['warehouse'] })
  const flagsWith = (configFile: string) =>
    settingsFlags({ ...settings, dataDir: resolve('collab-data'), configFile }, 'warehouse')
  expect(flagsWith("/etc/Ada's/collab.yaml")).toBe(` --config '/etc/Ada'\\''s/collab.yaml'`)
  expect(flagsWith(resolve('collab.yaml'))).toBe('')
})

test('any text is one word to the shell', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ minLength: 1 }).filter((text) => !text.includes('\0')),
        { maxLength: 5 },
      ),
      (words) => {
        const line = ['printf', "'%s\\0'", ...words.map(shellQuoted)].join(' ')
        const printed = execFileSync('sh', ['-c', line]).toString()
        expect(printed).toBe(words.length === 0 ? '\0' : words.map((word) => `${word}\0`).join(''))
      },
    ),
    { numRuns: 30 },
  )
})

test('a program is named as users type it: after npm, through npx that installs nothing', () => {
  try {
    vi.stubEnv('npm_execpath', undefined)
    expect(typedName('collab-extract')).toBe('collab-extract')
    vi.stubEnv('npm_execpath', '/usr/lib/npm-cli.js')
    expect(typedName('collab-extract')).toBe('npx --no-install collab-extract')
  } finally {
    vi.unstubAllEnvs()
  }
})
