import { readlink, rename, rm, stat, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { openPreviousBackup } from '@collab-etl/backups/repository'
import { scratch } from '@collab-etl/harness/scratch'
import { describe, expect, test } from 'vitest'
import { archive } from '../src/commands/archive.ts'
import { backupAt } from './backup-at.ts'
import { backupTo } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'
import { inProcess } from './in-process.ts'
import { shell } from './tools.ts'

const SERVICE = goldenSource().origin.baseUrl

async function previousIn(directory: string): Promise<string | null> {
  await using previous = await openPreviousBackup(directory, 'hard', SERVICE)
  return previous.previous
}

describe('in a directory without latest', () => {
  test('an unpacked archive is what the next backup is linked from', async () => {
    const directory = await scratch()
    const name = await backupAt(directory, '2026-01-01T00:00Z')
    const { document } = await inProcess(archive, { backup: join(directory, name), as: 'tar.gz' })
    const elsewhere = await scratch()
    await shell(elsewhere, String(document['open']))
    const { path, links } = await backupTo(elsewhere, goldenSource())
    expect(links).toMatchObject({ previous: name, refusal: null })
    // the report, and what shows when the data was read
    expect(links.newData.files).toBe(2)
    const page = 'data/markdown/road-map~1--P1/pages/guide--a1.md'
    expect((await stat(join(path, page))).ino).toBe((await stat(join(elsewhere, name, page))).ino)
    expect(await readlink(join(elsewhere, 'latest'))).toBe(basename(path))
  })

  test.each<[what: string, harm: (bag: string) => Promise<unknown>]>([
    ['a file is missing', (bag) => rm(join(bag, 'data/csv/pages.csv'))],
    ['the manifest is missing', (bag) => rm(join(bag, 'manifest-sha256.txt'))],
    ['unpacking ended early', (bag) => rm(join(bag, 'data/markdown'), { recursive: true })],
    [
      'it is a link',
      async (bag) => {
        await rename(bag, `${bag}-elsewhere`)
        await symlink(`${bag}-elsewhere`, bag)
      },
    ],
    ['it is another bag', (bag) => rm(join(bag, 'data/backup.json'))],
  ])('the newest backup is not taken where %s, but the one before', async (_what, harm) => {
    const directory = await scratch()
    const older = await backupAt(directory, '2026-01-01T00:00Z')
    const newer = await backupAt(directory, '2026-01-02T00:00Z')
    await rm(join(directory, 'latest'))
    expect(await previousIn(directory)).toBe(newer)
    await harm(join(directory, newer))
    expect(await previousIn(directory)).toBe(older)
  })
})
