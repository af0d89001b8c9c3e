import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { revealProxy, settingsEnvironment } from '../src/index.ts'
import { resolveSettings } from '../src/settings/resolve.ts'
import { scratch } from './fixture/run.ts'

async function resolved(env: Record<string, string>, file = '') {
  using directory = scratch()
  writeFileSync(join(directory.path, 'collab.yaml'), file)
  return await resolveSettings({ flags: {}, env, directory: directory.path, groups: ['service'] })
}

test.each([
  ['none', {}, '', undefined],
  ['of the file, for both', {}, 'proxy: http://p:1', { https: 'http://p:1', http: 'http://p:1', except: '' }],
  [
    'of the environment, before the file',
    { HTTPS_PROXY: 'https://e:2' },
    'proxy: http://p:1',
    { https: 'https://e:2', http: 'http://p:1', except: '' },
  ],
  [
    'in lower case, and without scheme',
    { http_proxy: 'e:3', HTTP_PROXY: 'f:4', no_proxy: '.a,b' },
    '',
    { http: 'http://e:3', except: '.a,b' },
  ],
  ['that is set to nothing', { HTTPS_PROXY: '' }, '', undefined],
])('a proxy: %s', async (_, env, file, expected) => {
  expect(revealProxy((await resolved(env, file)).proxy)).toEqual(expected)
})

test('a proxy with a password is shown without it, and child programs get it', async () => {
  const settings = await resolved({}, 'proxy: http://ada:very%40secret@p:1')
  expect(inspect(settings, { depth: 9 }) + JSON.stringify(settings)).not.toMatch(/very/)
  expect(String(settings.proxy?.https)).toBe('http://***@p:1')
  const env = settingsEnvironment(settings)
  expect((await resolved(env)).proxy).toEqual(settings.proxy)
  expect(settings.proxy?.http?.scrub('of very@secret and YWRhOnZlcnlAc2VjcmV0')).toBe('of *** and ***')
})

test.each(['socks5://p:1', 'http://', 'http://p:1/?x', 'http://ada:%zz-secret@p'])(
  'an address that is none: %s',
  async (text) => {
    for (const [env, file, name] of [
      [{ HTTPS_PROXY: text }, '', 'HTTPS_PROXY'],
      [{}, `proxy: '${text}'`, 'collab.yaml:1: proxy'],
    ] as const) {
      const message = await resolved(env, file).catch((error: Error) => error.message)
      expect(message).toMatch(new RegExp(`^${name} must (be an address such as http://|have any %)`))
      expect(message).not.toContain('secret')
    }
  },
)
