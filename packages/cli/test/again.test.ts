import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runFixture, scratch } from './fixture/run.ts'

const AGAIN = fileURLToPath(new URL('./fixture/again.ts', import.meta.url))

/** From the eleventh on, Node warns of listeners that are left. */
const TOKENS = Array.from({ length: 12 }, (_, number) => `hush-hush-${number + 10}`)

test('a program that runs repeatedly in a process leaves no listener and hides all secrets', async () => {
  using directory = scratch()
  const ran = await runFixture([join(directory.path, 'file'), ...TOKENS], {
    env: { COLLAB_BASE_URL: 'https://a.example' },
    program: AGAIN,
  })
  expect(ran.code).toBe(0)
  const hidden = TOKENS.map(() => '[secret]')
  expect(ran.stderr.split('\n')).toEqual([
    ...hidden.map((token) => `GET /?access_token=${token}`),
    hidden.join(' '),
    '',
  ])
})
