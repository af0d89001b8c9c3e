import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { keepOwner } from './keep-owner.ts'

/**
 * Replaces a file atomically, because other programs may read it at any time. The temporary name is random and must be new: others may write
 * to the directory, and a link of a name that they foresee would lead to another file.
 * @param mode also with a strict umask
 * @throws file system errors
 */
export async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const fresh = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`)
  const file = await open(fresh, 'wx', mode)
  try {
    try {
      keepOwner(fresh)
      await file.chmod(mode)
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {}) // report the original error
    throw error
  }
}
