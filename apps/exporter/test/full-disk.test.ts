import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readLatest } from '@collab-etl/backups'
import { verifyBag } from '@collab-etl/bagit'
import { describe, expect, test } from 'vitest'
import { list } from '../src/commands/list.ts'
import { prune } from '../src/commands/prune.ts'
import { verify } from '../src/commands/verify.ts'
import { backupAt } from './backup-at.ts'
import { backupTo } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'
import { inProcess } from './in-process.ts'
import { CAN_MOUNT, leaveFree, tmpfs } from './tmpfs.ts'

/** The unit in which such a file system gives room. */
const PAGE = 4096

/** Pages that are left: a night that links needs but a few. */
const ROOM = [...Array(13).keys(), 20, 30, 60]

async function expectWhole(directory: string, name: string): Promise<void> {
  expect(await readLatest(directory)).toBe(name)
  expect((await verifyBag(join(directory, name), { fast: false })).damage).toEqual([])
}

describe.skipIf(!CAN_MOUNT)('a full disk (needs root, for a small file system of its own)', () => {
  test.each(['none', 'hard'] as const)(
    'with any space left: makes the backup, or reports why and leaves nothing (--link %s)',
    async (link) => {
      const { path } = await tmpfs(200 * PAGE)
      const directory = join(path, 'backups')
      const first = await backupAt(directory, '2026-01-01T00:00Z')
      const outcomes = new Set<string>()
      for (const pages of ROOM) {
        await leaveFree(path, pages * PAGE)
        const outcome = await backupTo(directory, goldenSource(), undefined, link).then(
          ({ name }) => name,
          (error: Error & { exitCode?: number }) => {
            expect(error.message).toMatch(/the disk is full: free some space/)
            return error.exitCode === 2 ? 'refused' : 'failed'
          },
        )
        const made = /^\d/.test(outcome) ? outcome : null
        outcomes.add(made ? 'made' : outcome)
        expect((await readdir(directory)).sort(), `${pages} pages left`).toEqual([
          first,
          ...(made ? [made] : []),
          'latest',
        ])
        await expectWhole(directory, made ?? first)
        if (made === null) continue
        await rm(join(directory, made), { recursive: true })
        await rm(join(path, 'filler'), { force: true })
        await rm(join(directory, 'latest'))
        await writeFile(join(directory, 'latest'), first)
      }
      expect([...outcomes].sort()).toEqual(['failed', 'made', 'refused'])
    },
  )

  test('does not keep verify from telling what it found', async () => {
    const { path } = await tmpfs(200 * PAGE)
    await backupAt(path, '2026-01-01T00:00Z')
    await leaveFree(path, 0)
    const found = await inProcess(verify, { backup: path })
    expect(found).toMatchObject({ code: 0, document: { status: 'whole', recorded: false } })
    expect(found.stderr).toMatch(/could not be recorded/)
  })
})

describe.skipIf(!CAN_MOUNT)('a read-only directory (needs root, for a small file system of its own)', () => {
  test('is verified and listed; backups and prunes are refused with exit code 2, and latest stays', async () => {
    const { path, makeReadOnly } = await tmpfs(400 * PAGE)
    for (const day of [1, 2, 3]) await backupAt(path, `2026-01-0${day}T00:00Z`)
    await makeReadOnly()
    const before = await readdir(path)
    await expect(backupTo(path, goldenSource())).rejects.toMatchObject({
      ...{ exitCode: 2, message: `no backup can be written to ${path}: the file system is read-only` },
    })
    expect(await inProcess(prune, { directory: path, 'keep-last': '1' })).toMatchObject({
      ...{ code: 2, stderr: `nothing can be removed from ${path}: the file system is read-only` },
    })
    expect(await inProcess(verify, { backup: path, sample: '1/7' })).toMatchObject({
      ...{ code: 0, document: { status: 'whole', recorded: false } },
    })
    expect((await inProcess(list, { directory: path })).stdout).toMatch(/3 backups\n$/)
    expect(await readdir(path)).toEqual(before)
    await expectWhole(path, '20260103T000000Z')
  })
})
