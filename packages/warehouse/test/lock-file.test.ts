import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { takeLockFile } from '../src/driver/lock-file.ts'

describe('the lock file', () => {
  let directory: string
  let path: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'warehouse-lock-'))
    path = join(directory, 'warehouse.lock')
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  const take = () => takeLockFile(path, 'the warehouse')
  const leave = (owner: { pid: number; host: string; began?: string }) =>
    writeFile(path, JSON.stringify({ began: null, token: 'x', ...owner }))

  test('one of many gets it, the others are told who has it; then it is free again', async () => {
    const taken = await Promise.allSettled(Array.from({ length: 8 }, take))
    const locks = taken.filter((each) => each.status === 'fulfilled').map(({ value }) => value)
    expect(locks).toHaveLength(1)
    for (const each of taken) {
      if (each.status === 'rejected') {
        expect(each.reason).toMatchObject({ code: 'LOCKED', message: expect.stringContaining(String(process.pid)) })
      }
    }
    await locks[0]?.release()
    await locks[0]?.release()
    expect(await readdir(directory)).toEqual([])
    await (await take()).release()
  })

  test('another process that lives holds it, until it has ended', async () => {
    const sleeper = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    try {
      await leave({ pid: sleeper.pid ?? 0, host: hostname() })
      await expect(take()).rejects.toMatchObject({
        code: 'LOCKED',
        message: expect.stringContaining(String(sleeper.pid)),
      })
    } finally {
      sleeper.kill()
      await once(sleeper, 'exit')
    }
    await (await take()).release()
    expect(await readdir(directory)).toEqual([])
  })

  test('left behind by a process that had our id before us, as the first one of every container has', async () => {
    await leave({ pid: process.pid, host: hostname() })
    await (await take()).release()
  })

  test.runIf(process.platform === 'linux')('left behind by a process whose id another has now', async () => {
    await leave({ pid: process.ppid, host: hostname(), began: '1' })
    await (await take()).release()
  })

  test('on another host, or of nobody knows whom: fresh it locks out, long silent it does not', async () => {
    for (const text of [JSON.stringify({ pid: 1, host: 'elsewhere', began: null, token: 'x' }), 'not json']) {
      await writeFile(path, text)
      await expect(take()).rejects.toMatchObject({ code: 'LOCKED' })
      expect(await readFile(path, 'utf8')).toBe(text)
      const long = new Date(Date.now() - 6 * 60_000)
      await utimes(path, long, long)
      await (await take()).release()
    }
  })

  test('stale, and many want it: one gets it', async () => {
    await leave({ pid: process.pid, host: hostname() })
    const taken = await Promise.allSettled(Array.from({ length: 8 }, take))
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})
