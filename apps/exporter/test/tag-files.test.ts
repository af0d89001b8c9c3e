import { copyFile, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupReader } from '@collab-etl/backups/read'
import { listBackups, openPreviousBackup } from '@collab-etl/backups/repository'
import { scratch } from '@collab-etl/harness/scratch'
import { testEveryNth } from '@collab-etl/harness/thorough'
import { describe, expect } from 'vitest'
import { prune } from '../src/commands/prune.ts'
import { verify } from '../src/commands/verify.ts'
import { writeArchive } from './archives.ts'
import { backupAt } from './backup-at.ts'
import { inProcess } from './in-process.ts'

const TAG_MANIFEST = 'tagmanifest-sha256.txt'
const { signal } = new AbortController()

type Spoil = (bag: string) => Promise<void>

async function editInfo(bag: string): Promise<void> {
  const info = join(bag, 'bag-info.txt')
  await writeFile(info, (await readFile(info, 'utf8')).replace(/^Bagging-Date: .*$/m, 'Bagging-Date: 1999-12-31'))
}

function without(name: string): Spoil {
  return async (bag) => {
    const path = join(bag, TAG_MANIFEST)
    await writeFile(path, (await readFile(path, 'utf8')).replace(new RegExp(`^.*  ${name}\\n`, 'm'), ''))
  }
}

/** Puts a link in the place of a file, to a copy elsewhere. */
function linked(name: string): Spoil {
  return async (bag) => {
    const elsewhere = join(await scratch(), name)
    await copyFile(join(bag, name), elsewhere)
    await rename(join(bag, name), join(await scratch(), name))
    await symlink(elsewhere, join(bag, name))
  }
}

const DEFECTS: readonly [what: string, spoil: Spoil][] = [
  [
    'an empty tag manifest and an edited bag-info.txt',
    async (bag) => {
      await writeFile(join(bag, TAG_MANIFEST), '')
      await editInfo(bag)
    },
  ],
  ...['bagit.txt', 'bag-info.txt', 'manifest-sha256.txt', 'payload-sizes.txt'].map((name): [string, Spoil] => {
    return [`a tag manifest that does not name ${name}`, without(name)]
  }),
  ...[TAG_MANIFEST, 'bagit.txt', 'bag-info.txt', 'manifest-sha256.txt'].map((name): [string, Spoil] => {
    return [`a link in the place of ${name}`, linked(name)]
  }),
]

describe('a backup', () => {
  testEveryNth(DEFECTS, 4)(
    'with %s is damaged for every command, and no later backup reuses its files',
    async (what, spoil) => {
      const directory = await scratch()
      const intact = await backupAt(directory, '2026-01-01T00:00Z')
      const bag = join(directory, await backupAt(directory, '2026-01-02T00:00Z'))
      await spoil(bag)
      expect(await inProcess(verify, { backup: bag })).toMatchObject({ code: 5 })
      expect(await inProcess(verify, { backup: bag, fast: true })).toMatchObject({ code: 5 })
      const out = join(await scratch(), 'backup.zip')
      const job = { bag, out, format: 'zip', encrypter: null, signal, onFile: () => {} } as const
      await expect(writeArchive(job)).rejects.toMatchObject({ exitCode: 5 })
      await expect(BackupReader.open(bag)).rejects.toMatchObject({ code: 'DAMAGED' })
      await using previous = await openPreviousBackup(directory, 'hard', 'http://localhost')
      expect(previous).toMatchObject({ bag: null, refusal: expect.stringContaining('is damaged') })
      await inProcess(prune, { directory, 'keep-last': '1' })
      const [first, listed] = await listBackups(directory)
      expect(first?.name).toBe(intact) // which the damaged one does not displace
      // Without bagit.txt, `prune` never removes it.
      expect(listed?.state).toBe(what.endsWith('link in the place of bagit.txt') ? 'foreign' : 'damaged')
    },
  )
})
