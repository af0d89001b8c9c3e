import { execFileSync } from 'node:child_process'
import { link, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { everyNth, times } from '../../../test/harness/thorough.ts'
import { holdFile, type LockOptions, takeLock } from '../src/index.ts'
import { Holder, OTHER_NAMESPACE } from './support/processes.ts'

/** For an owner that is dead. */
const QUICK = { beatMs: 20, watchMs: 300, settleMs: 10 }
/** For an owner that is alive: watching ends with its first heartbeat, which a busy machine delays. */
const PATIENT = { watchMs: 30_000 }
const WITHOUT_OS_LOCK: LockOptions = { ...QUICK, osLock: async () => 'unsupported' }
const isLinux = process.platform === 'linux'

let directory: string
let path: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lock-'))
  path = join(directory, 'the.lock')
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** Writes the record of another process. */
const writeRecord = (owner: object) =>
  writeFile(path, JSON.stringify({ pid: 7, host: 'elsewhere', token: 'x', ...owner }))

/** Stops a process and waits until it is stopped. */
async function stop(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  const isStopped = async () => /^State:\s+T/m.test(await readFile(`/proc/${pid}/status`, 'utf8'))
  await expect.poll(isStopped, { timeout: 20_000 }).toBe(true)
}

async function expectFree(options: LockOptions = QUICK): Promise<void> {
  const lock = await takeLock(path, options)
  lock.check()
  await lock.release()
}

describe('processes of one kernel', () => {
  test('one of many gets the lock, the others learn its owner', async () => {
    const taken = await Promise.allSettled(Array.from({ length: 8 }, () => takeLock(path, QUICK)))
    const locks = taken.filter((each) => each.status === 'fulfilled').map(({ value }) => value)
    expect(locks).toHaveLength(1)
    for (const each of taken) {
      if (each.status === 'rejected') {
        const message = expect.stringMatching(new RegExp(`process ${process.pid} on .+ \\(started 20..-.+Z\\)`))
        expect(each.reason).toMatchObject({ code: 'HELD', message, owner: { pid: process.pid } })
      }
    }
    await locks[0]?.release()
    await locks[0]?.release()
    expect(await readdir(directory)).toEqual([])
    await expectFree()
  })

  test('the lock of a killed owner is taken at once', async () => {
    for (let turn = 0; turn < 3; turn++) {
      const holder = new Holder(path)
      expect(await holder.report()).toEqual({ taken: true })
      await holder.kill()
      await expectFree({})
    }
  })

  test.runIf(isLinux)('the lock holds across PID namespaces, in both directions', async () => {
    await using inside = new Holder(path, { through: OTHER_NAMESPACE })
    expect(await inside.report()).toEqual({ taken: true })
    await expect(takeLock(path, QUICK)).rejects.toMatchObject({
      code: 'HELD',
      message: expect.stringMatching(/process \d+ in another container on /),
    })
    await using third = new Holder(path, { through: OTHER_NAMESPACE })
    expect(await third.report()).toMatchObject({ taken: false })
    expect(await inside.check()).toEqual({ held: true })
  })

  test.runIf(isLinux)('a stopped process keeps the lock', async () => {
    await using holder = new Holder(path)
    expect(await holder.report()).toEqual({ taken: true })
    holder.process.kill('SIGSTOP')
    await expect(takeLock(path, { beatMs: 5, watchMs: 20 })).rejects.toMatchObject({ code: 'HELD' })
    holder.process.kill('SIGCONT')
    expect(await holder.check()).toEqual({ held: true })
  })

  test('of two that start at the same moment one gets it, each time', { tags: 'thorough' }, async () => {
    for (let turn = 0; turn < times(15, 50); turn++) {
      const both = await Promise.allSettled([takeLock(path, QUICK), takeLock(path, QUICK)])
      expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      // alternates between a new file and an abandoned one
      for (const each of both) if (each.status === 'fulfilled') await each.value.release()
      if (turn % 2 === 0) await writeRecord({ boot: 'x', osLock: true })
    }
  })
})

describe('without locks of the operating system', () => {
  test('an owner whose file changes is alive, even with an old file time', async () => {
    await writeRecord({ boot: 'another' })
    const hourAgo = Date.now() / 1000 - 3600
    let beats = 0
    const beating = setInterval(() => void utimes(path, hourAgo + ++beats, hourAgo + beats).catch(() => {}), 50)
    try {
      const taken = takeLock(path, { ...WITHOUT_OS_LOCK, ...PATIENT })
      await expect(taken).rejects.toMatchObject({ code: 'HELD', owner: { pid: 7 } })
    } finally {
      clearInterval(beating)
    }
  })

  test('an owner without heartbeat is dead, even with a future file time', async () => {
    await writeRecord({ boot: 'another' })
    const tomorrow = Date.now() / 1000 + 86_400
    await utimes(path, tomorrow, tomorrow)
    const watched: unknown[] = []
    await expectFree({ ...WITHOUT_OS_LOCK, onWatch: (owner, ms) => watched.push(owner?.host, ms) })
    expect(watched).toEqual(['elsewhere', 300])
  })

  test.runIf(isLinux)('a process in another PID namespace is judged by its heartbeat', async () => {
    await using holder = new Holder(path, { through: OTHER_NAMESPACE, mode: 'without-os-lock' })
    expect(await holder.report()).toEqual({ taken: true })
    await expect(takeLock(path, { ...WITHOUT_OS_LOCK, ...PATIENT })).rejects.toMatchObject({ code: 'HELD' })
    await holder.kill()
    await expectFree(WITHOUT_OS_LOCK)
  })

  test.runIf(isLinux)('a process that was stopped and declared dead finds its lock lost', async () => {
    await using holder = new Holder(path, { through: OTHER_NAMESPACE, mode: 'without-os-lock' })
    expect(await holder.report()).toEqual({ taken: true })
    const { pid } = holder.process
    const [inside = ''] = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ')
    await stop(Number(inside))
    await using lock = await takeLock(path, WITHOUT_OS_LOCK).finally(() => process.kill(Number(inside), 'SIGCONT'))
    expect(await holder.check()).toMatchObject({ held: false, message: expect.stringContaining('was lost') })
    lock.check()
  })

  test.runIf(isLinux)('a process of the same namespace is judged by its id and start', async () => {
    await using holder = new Holder(path, { mode: 'without-os-lock' })
    expect(await holder.report()).toEqual({ taken: true })
    holder.process.kill('SIGSTOP')
    await expect(takeLock(path, WITHOUT_OS_LOCK)).rejects.toMatchObject({ code: 'HELD' })
    const record = JSON.parse(await readFile(path, 'utf8'))
    await holder.kill()
    for (const owner of [record, { ...record, pid: process.ppid }, { ...record, pid: process.pid }]) {
      await writeRecord(owner)
      await expectFree({ ...WITHOUT_OS_LOCK, onWatch: () => expect.unreachable() })
    }
  })

  test('of many processes that find a dead owner one gets the lock', async () => {
    await writeRecord({ boot: 'another' })
    const taken = await Promise.allSettled(
      Array.from({ length: 6 }, () => takeLock(path, { ...WITHOUT_OS_LOCK, settleMs: 1000 })),
    )
    const locks = taken.filter((each) => each.status === 'fulfilled').map(({ value }) => value)
    expect(locks).toHaveLength(1)
    locks[0]?.check()
    await locks[0]?.release()
  })
})

describe('the lock file', () => {
  test('removed or replaced, the lock is lost and the replacement stays', async () => {
    const replacements = [
      () => rm(path),
      () => rename(path, join(directory, 'moved')),
      () => rm(path).then(() => mkdir(path)),
      () => rm(path).then(() => writeRecord({})),
      () => rm(path).then(() => symlink('moved', path)),
    ]
    for (const replace of replacements) {
      const lock = await takeLock(path, QUICK)
      await replace()
      expect(() => lock.check()).toThrow(expect.objectContaining({ code: 'LOST' }))
      const before = await readdir(directory)
      await lock.release()
      expect(await readdir(directory)).toEqual(before)
      await rm(path, { recursive: true, force: true })
    }
  })

  test('a copy of it is free', async () => {
    await using _lock = await takeLock(path, QUICK)
    const copy = join(directory, 'copy')
    await mkdir(copy)
    await writeFile(join(copy, 'the.lock'), await readFile(path))
    const other = await takeLock(join(copy, 'the.lock'), { ...QUICK, onWatch: () => expect.unreachable() })
    await other.release()
  })

  test('is the same lock under another path', async () => {
    await using _lock = await takeLock(path, QUICK)
    await symlink(directory, join(directory, 'other'))
    await link(path, join(directory, 'hard.lock'))
    for (const name of ['other/the.lock', 'hard.lock']) {
      await expect(takeLock(join(directory, name), QUICK)).rejects.toMatchObject({ code: 'HELD' })
    }
  })

  test('a directory, FIFO or link in its place is rejected and kept', async () => {
    const replacements = [
      () => mkdir(path),
      () => symlink('/etc/hostname', path),
      () => symlink('nowhere', path),
      ...(isLinux ? [async () => void execFileSync('sh', ['-c', 'mkfifo "$0"', path])] : []),
    ]
    for (const replace of replacements) {
      await replace()
      await expect(takeLock(path, QUICK)).rejects.toMatchObject({ code: 'NOT_A_FILE', message: /not a regular file/ })
      expect(await readdir(directory)).toEqual(['the.lock'])
      await rm(path, { recursive: true })
    }
  })

  test('with any content, it is taken over once its owner is dead', { tags: 'thorough' }, async () => {
    const old = JSON.stringify({ pid: 7, host: 'elsewhere', began: null, token: 'x' })
    for (const text of everyNth(['', 'not json', 'null', '{"pid":"1","host":1}', '\0'.repeat(2000), old], 3)) {
      await writeFile(path, text)
      await expectFree()
      await writeFile(path, text)
      await expectFree(WITHOUT_OS_LOCK)
    }
  })

  test('a missing directory is a file system error', async () => {
    await expect(takeLock(join(directory, 'gone', 'the.lock'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('holdFile holds a file under all its names', async () => {
    await writeFile(path, 'content')
    await link(path, join(directory, 'hard'))
    {
      await using _hold = await holdFile(path)
      await expect(holdFile(join(directory, 'hard'))).rejects.toMatchObject({ code: 'HELD' })
    }
    await using _again = await holdFile(join(directory, 'hard'))
    expect(await readFile(path, 'utf8')).toBe('content')
  })
})
