import { lstat, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { flushFolder, type Oxum, type Workspace } from '@collab-etl/bagit'
import { isOurBackup } from './certificate-facts.ts'
import type { ListedBackup } from './list-backups.ts'
import { readLatest } from './publish.ts'
import { removeTree } from './remove-tree.ts'
import { removeMark } from './verified-mark.ts'

export type Removable = Pick<ListedBackup, 'name' | 'archives'>

/** A backup that is gone, and what that freed. */
export interface Removed {
  readonly name: string
  readonly freed: Oxum
}

/**
 * Removes a backup with its archives. It is first moved out of sight in one step, so that no half of it ever bears its name;
 * whoever is killed after that leaves a workspace, which the next run removes. `null` for one that `latest` points to by now.
 */
export async function removeBackup(
  directory: string,
  workspace: Workspace,
  { name, archives }: Removable,
): Promise<Removed | null> {
  if ((await readLatest(directory)) === name) return null
  // Checked again: another directory may have been put in its place since.
  if (!(await isRemovable(join(directory, name)))) return null
  const freed = { bytes: 0, files: 0 }
  const moved: string[] = []
  // The folder last: as long as it is there, the next run has something to decide about.
  for (const entry of [...archives.map((archive) => archive.name), name]) {
    const to = join(workspace.path, entry)
    workspace.check()
    if (await moveAway(join(directory, entry), to)) moved.push(to)
  }
  await flushFolder(directory)
  await removeMark({ directory, name })
  for (const path of moved) {
    const own = await removeTree(path)
    freed.bytes += own.bytes
    freed.files += own.files
  }
  return { name, freed }
}

/** A backup of ours in a directory of its own; or gone, with archives that another run did not come to. */
async function isRemovable(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null)
  return found === null || (found.isDirectory() && (await isOurBackup(path)))
}

/** Whether it was there: another run may have been faster. */
async function moveAway(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}
