import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { expect, test } from 'vitest'
import { runHook } from '../src/run/run-hook.ts'

/** Runs a script of the shell as a hook, and gives its lines to a function. */
function hook(script: string, signal = new AbortController().signal, onLine: (line: string) => void = () => {}) {
  return runHook(['sh', '-c', script], { env: process.env, signal, onLine })
}

test('the words of a hook reach the program as they are: no shell reads them', async () => {
  const lines: string[] = []
  const options = { env: process.env, signal: new AbortController().signal, onLine: (line: string) => lines.push(line) }
  expect(await runHook(['printf', '%s\\n', '$HOME', '`id`', 'a;b'], options)).toBeNull()
  expect(lines).toEqual(['$HOME', '`id`', 'a;b'])
})

test.each([
  { script: 'exit 7', reason: 'ended with exit code 7; its output is in the log' },
  { script: 'kill -KILL $$', reason: 'was ended by SIGKILL' },
])('$script: the hook $reason', async ({ script, reason }) => {
  expect(await hook(script)).toBe(reason)
})

test('a program that does not exist cannot be started', async () => {
  const options = { env: process.env, signal: new AbortController().signal, onLine: () => {} }
  expect(await runHook(['/no/such/program'], options)).toBe('cannot be started (ENOENT)')
})

test('each line of its output is passed on without its end, and in parts if it is long', async () => {
  const lines: string[] = []
  await hook(`printf 'one\\r\\n10 %%\\r20 %%\\r\\n\\n'; head -c 9000 /dev/zero | tr '\\0' x`, undefined, (line) =>
    lines.push(line),
  )
  expect(lines.slice(0, 3)).toEqual(['one', '10 %', '20 %'])
  expect(lines.slice(3).map(({ length }) => length)).toEqual([4000, 4000, 1000])
})

test('a process that it leaves behind, which holds its output, does not keep the night', async () => {
  await using scratch = await scratchDirectory()
  const [go, over] = [join(scratch.path, 'go'), join(scratch.path, 'over')]
  expect(await hook(`(while ! [ -e ${go} ]; do sleep 0.1; done; : > ${over}) & exit 0`)).toBeNull()
  // it was still running
  expect(existsSync(over)).toBe(false)
  await hook(`: > ${go}; while ! [ -e ${over} ]; do sleep 0.05; done`)
})

test('a signal ends it, and what it started, which has time to clean up', async () => {
  await using scratch = await scratchDirectory()
  const lock = join(scratch.path, 'lock')
  const controller = new AbortController()
  const inner = `: > ${lock}; trap "sleep 0.2; rm ${lock}; exit" TERM; echo locked; while :; do sleep 0.05; done`
  const running = hook(`sh -c '${inner}'; echo "never"`, controller.signal, () => controller.abort(new Error('enough')))
  await expect(running).rejects.toThrow('enough')
  expect(existsSync(lock)).toBe(false)
})
