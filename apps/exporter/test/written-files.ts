import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { filesOf } from '@collab-etl/harness/trees'
import { withoutReading } from '@collab-etl/harness/without-reading'
import type { MadeBackup } from '../src/backup/make-backup.ts'

/** Everything in a backup that the same rows give again. */
export async function contentOf({ path }: MadeBackup): Promise<Record<string, string>> {
  const files = withoutReading(await filesOf(path))
  files.delete('bag-info.txt')
  files.delete('tagmanifest-sha256.txt')
  return Object.fromEntries(files)
}

/** Payload files of a backup that are not files of the one before: they were written. */
export async function writtenIn(made: MadeBackup, before: MadeBackup): Promise<string[]> {
  const written: string[] = []
  for (const path of (await filesOf(join(made.path, 'data'))).keys()) {
    const [a, b] = await Promise.all(
      [made, before].map(({ path: bag }) => lstat(join(bag, 'data', path)).catch(() => null)),
    )
    if (a?.ino !== b?.ino) written.push(path.replace(/--[0-9a-f]{24}/g, ''))
  }
  return written.sort()
}

/** The file of a backup at a path without ids. */
export async function fileIn({ path: bag }: Pick<MadeBackup, 'path'>, wanted: RegExp | string): Promise<string> {
  const isWanted = (path: string) => (typeof wanted === 'string' ? path === wanted : wanted.test(path))
  const found = [...(await filesOf(bag)).keys()].find((path) => isWanted(path.replace(/--[0-9a-f]{24}/g, '')))
  if (found === undefined) throw new Error(`no ${wanted}`)
  return join(bag, found)
}
