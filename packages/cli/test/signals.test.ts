import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ended, startFixture } from './fixture/run.ts'

async function ready(args: readonly string[]) {
  const child = startFixture(args)
  const end = ended(child)
  if (child.stdout) await once(child.stdout, 'data')
  return { child, end }
}

test.concurrent.each([
  { signal: 'SIGINT', code: 130 },
  { signal: 'SIGTERM', code: 143 },
] as const)(
  '$signal ends the command in order with exit code $code, for any error that it caused',
  async ({ signal, code }) => {
    const { child, end } = await ready(['wait'])
    child.kill(signal)
    const ran = await end
    expect(ran.code).toBe(code)
    expect(ran.stderr).toMatch(new RegExp(`^fixture: ${signal} received: [^\n]+\nfixture: interrupted by ${signal}\n$`))
  },
)

test.concurrent('one signal that arrives by two ways is one', async () => {
  const { child, end } = await ready(['wait', '--stubborn'])
  child.kill('SIGINT')
  child.kill('SIGTERM')
  child.kill('SIGINT')
  await sleep(500)
  expect(child.exitCode).toBeNull()
  // the first one may have come late, on a busy machine
  while (child.exitCode === null) {
    child.kill('SIGINT')
    await sleep(400)
  }
  expect((await end).code).toBe(130)
})
