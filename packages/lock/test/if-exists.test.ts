import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ifExists } from '../src/if-exists.ts'

test('a path that exists gives what the call returns, one that does not gives null', async () => {
  expect((await ifExists(lstat(import.meta.filename)))?.isFile()).toBe(true)
  expect(await ifExists(lstat(join(import.meta.dirname, 'no-such-file')))).toBeNull()
  expect(await ifExists(lstat(join(import.meta.filename, 'below-a-file')))).toBeNull()
})

test('a path that may not be looked at is not taken for a missing one', async () => {
  const denied = Object.assign(new Error('permission denied'), { code: 'EACCES' })
  await expect(ifExists(Promise.reject(denied))).rejects.toBe(denied)
})
