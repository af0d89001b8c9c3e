import { chown, lstat, mkdir, readdir, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { backupName, locateBackup } from '@collab-etl/backups'
import { publishBackup } from '@collab-etl/backups/repository'
import { openTemporaryDirectory, removeStaleDirectories, verifyBag } from '@collab-etl/bagit'
import { scratch } from '@collab-etl/harness/scratch'
import { describe, expect, test } from 'vitest'
import type { BackupRows } from '../src/source/backup-rows.ts'
import { backupTo } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'
import { CAN_MOUNT, mountOn } from './tmpfs.ts'

/** The golden source, breaking off in the middle of the posts. */
function brokenSource(fail: () => unknown): BackupRows {
  const whole = goldenSource()
  return {
    ...whole,
    async *rows(table, options) {
      yield* whole.rows(table, options)
      if (table === 'post_comments') throw fail()
    },
  }
}

describe('a backup', () => {
  test('has its name and is what latest points to, and nothing else is left', async () => {
    const directory = join(await scratch(), 'new/backups')
    const { name, path } = await backupTo(directory, goldenSource())
    expect(name).toMatch(/^\d{8}T\d{6}Z$/)
    expect((await readdir(directory)).sort()).toEqual([name, 'latest'])
    expect(await readlink(join(directory, 'latest'))).toBe(name)
    expect((await verifyBag(path, { fast: false })).damage).toEqual([])
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
  })

  test('tells where it is from in bag-info.txt alone', async () => {
    const { path } = await backupTo(await scratch(), goldenSource())
    const info = await readFile(join(path, 'bag-info.txt'), 'utf8')
    const shown = info.replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, 'TIME').replace(/Oxum: \d+\.\d+/g, 'Oxum: N')
    expect(shown.trimEnd().split('\n')).toEqual([
      ...['Bag-Software-Agent: test 0', 'Bagging-Date: TIME', 'Payload-Oxum: N', 'Collab-Begun: TIME'],
      ...['Collab-Source: warehouse', 'Collab-Base-Url: http://localhost', 'Collab-Read-At: TIME', 'Collab-Run: r1'],
      'Collab-New-Oxum: N',
    ])
  })

  test.runIf(process.getuid?.() === 0)('that root writes belongs to the owner of its directory', async () => {
    const ID = 65_534
    const directory = await scratch()
    await chown(directory, ID, ID)
    const made = [await backupTo(directory, goldenSource()), await backupTo(directory, goldenSource())]
    const names = await readdir(directory, { recursive: true })
    expect(names.length).toBeGreaterThan(50)
    for (const name of names) expect({ name, uid: (await lstat(join(directory, name))).uid }).toEqual({ name, uid: ID })
    expect(made[1]?.links).toMatchObject({ previous: made[0]?.name, newData: { files: 2 } })
  })

  test('in a second that is taken waits for the next one', async () => {
    const directory = await scratch()
    const made = await Promise.all(Array.from({ length: 3 }, () => backupTo(directory, goldenSource())))
    const names = made.map(({ name }) => name)
    expect(new Set(names).size).toBe(3)
    expect((await readdir(directory)).sort()).toEqual([...names.sort(), 'latest'])
    for (const { path } of made) expect((await verifyBag(path, { fast: false })).damage).toEqual([])
  })

  test('that breaks off leaves nothing, and latest as it was', async () => {
    const directory = await scratch()
    const { name } = await backupTo(directory, goldenSource())
    const full = () => Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' })
    await expect(backupTo(directory, brokenSource(full))).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/failed and was removed: the disk is full/),
    })
    expect((await readdir(directory)).sort()).toEqual([name, 'latest'])
    expect(await readlink(join(directory, 'latest'))).toBe(name)
  })

  test('that may not read an earlier one names the file and its user', async () => {
    const directory = await scratch()
    const path = join(directory, 'of-another-user')
    const denied = () => Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'lstat', path })
    await expect(backupTo(directory, brokenSource(denied))).rejects.toMatchObject({
      message: expect.stringMatching(/removed: .*of-another-user cannot be read: .* belongs to the user/),
    })
  })

  test('whose latest cannot be replaced says that it is whole all the same', async () => {
    const directory = await scratch()
    await mkdir(join(directory, 'latest/mine'), { recursive: true })
    await expect(backupTo(directory, goldenSource())).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/was written, but "latest"/),
    })
    const [name = ''] = await readdir(directory)
    expect((await verifyBag(join(directory, name), { fast: false })).damage).toEqual([])
  })
})

/** The lock record of a run on this machine. */
async function ownRecord(): Promise<object> {
  await using temporary = await openTemporaryDirectory(await scratch())
  return JSON.parse(await readFile(join(temporary.path, 'owner.json'), 'utf8'))
}

describe('stale', () => {
  const own = '.collab-export-0123456789abcdef.tmp'

  /** By default, the record names another host. */
  async function abandoned(directory: string, owner: object | null = { pid: 7, host: 'elsewhere', boot: 'x' }) {
    await mkdir(join(directory, own, 'bag'), { recursive: true })
    if (owner) await writeFile(join(directory, own, 'owner.json'), JSON.stringify(owner))
  }

  test('of a process that ended, or was killed as it started, are removed', async () => {
    for (const owner of [null, { ...(await ownRecord()), pid: 2 ** 22 }]) {
      const directory = await scratch()
      await abandoned(directory, owner)
      expect(await removeStaleDirectories(directory)).toEqual([own])
      expect(await readdir(directory)).toEqual([])
    }
  })

  test('of a running process stay, even if its files are old', async () => {
    const directory = await scratch()
    await using temporary = await openTemporaryDirectory(directory)
    const longAgo = new Date(Date.now() - 70 * 60_000)
    await utimes(join(temporary.path, 'owner.json'), longAgo, longAgo)
    expect(await removeStaleDirectories(directory)).toEqual([])
    temporary.check()
  })

  test('of another host stay if they change while watched, however old they look', async () => {
    const directory = await scratch()
    await abandoned(directory)
    const file = join(directory, own, 'owner.json')
    let time = 1000
    const beating = setInterval(() => void utimes(file, ++time, time).catch(() => {}), 20)
    expect(await removeStaleDirectories(directory, { watchMs: 1000 })).toEqual([])
    clearInterval(beating)
    expect(await removeStaleDirectories(directory, { watchMs: 200 })).toEqual([own])
  })

  test('do not delay an interruption while they are watched', async () => {
    const directory = await scratch()
    await abandoned(directory)
    const signal = AbortSignal.timeout(100)
    await expect(removeStaleDirectories(directory, { signal })).rejects.toThrow()
    expect(await readdir(directory)).toEqual([own])
  })

  test('removed during a run are not published', async () => {
    const directory = await scratch()
    await using temporary = await openTemporaryDirectory(directory)
    await rm(temporary.path, { recursive: true })
    await mkdir(temporary.bag, { recursive: true })
    await expect(publishBackup(directory, temporary, new Date())).rejects.toThrow(/temporary directory .* was removed/)
    expect(await readdir(directory)).toHaveLength(1)
  })

  test.runIf(CAN_MOUNT)(
    'that cannot be removed are reported, and never an error; the next run removes them',
    async () => {
      const directory = await scratch()
      const left: string[] = []
      const onLeft = (path: string) => left.push(path)
      const temporary = await openTemporaryDirectory(directory, onLeft)
      // A mounted directory cannot be removed, as one with a file that another process keeps open on NFS.
      const mounted = join(temporary.bag, 'mounted')
      await mkdir(mounted)
      const unmount = await mountOn(mounted)
      try {
        await temporary[Symbol.asyncDispose]()
        expect(await removeStaleDirectories(directory, { onLeft })).toEqual([])
        expect(left).toEqual([temporary.path, temporary.path])
      } finally {
        await unmount()
      }
      expect(await removeStaleDirectories(directory, { onLeft })).toEqual([basename(temporary.path)])
      expect(await readdir(directory)).toEqual([])
    },
  )

  test('are distinguished from anything else', async () => {
    const directory = await scratch()
    await using temporary = await openTemporaryDirectory(directory)
    for (const name of ['.tmp', '.collab-export-x.tmp', 'mine.tmp', '20240101T000000Z'])
      await mkdir(join(directory, name))
    expect(await removeStaleDirectories(directory)).toEqual([])
    expect(await readdir(temporary.path)).toContain('bag')
  })
})

describe('a backup is found', () => {
  test('by its own path, by latest, by the directory, and by latest as a file', async () => {
    const directory = await scratch()
    const { path, name } = await backupTo(directory, goldenSource())
    expect(await locateBackup(path)).toBe(path)
    expect(await locateBackup(join(directory, 'latest'))).toBe(join(directory, 'latest'))
    expect(await locateBackup(directory)).toBe(path)
    const plain = await scratch()
    await backupTo(plain, goldenSource())
    await writeFile(join(plain, 'other'), '')
    expect(await locateBackup(join(plain, 'other'))).toBe(null)
    const files = join(await scratch(), 'x')
    await mkdir(join(files, name, 'data'), { recursive: true })
    await writeFile(join(files, name, 'bagit.txt'), '')
    await writeFile(join(files, 'latest'), `${name}\n`)
    expect(await locateBackup(join(files, 'latest'))).toBe(join(files, name))
    expect(await locateBackup(files)).toBe(join(files, name))
  })

  test('not where there is none', async () => {
    const directory = await scratch()
    expect(await locateBackup(directory)).toBe(null)
    expect(await locateBackup(join(directory, 'nothing'))).toBe(null)
  })

  test('even if but one of its files is left', async () => {
    const directory = await scratch()
    await writeFile(join(directory, 'manifest-sha256.txt'), '')
    expect(await locateBackup(directory)).toBe(directory)
  })
})

test('names of backups are times, and sort as they do', () => {
  expect(backupName(new Date('2024-01-31T23:59:58.999Z'))).toBe('20240131T235958Z')
})
