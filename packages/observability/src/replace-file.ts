import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Replaces a file atomically, because other programs may read it at any time. The mode is 644, so that they can. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const fresh = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)
  try {
    const file = await open(fresh, 'w', 0o644)
    try {
      await file.chmod(0o644) // also with a strict umask
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
