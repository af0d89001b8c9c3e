import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Oxum } from '@collab-etl/bagit'

/** After so many files, yield to signals and the display. */
const FILES_IN_A_ROW = 200

/** Removes a file or a directory tree. Returns the freed space: files without other hard links. */
export async function removeTree(path: string): Promise<Oxum> {
  const freed = { bytes: 0, files: 0 }
  let done = 0
  async function remove(target: string): Promise<void> {
    const found = lstatSync(target)
    if (found.isDirectory()) {
      for (const name of readdirSync(target)) await remove(join(target, name))
      rmdirSync(target)
      return
    }
    unlinkSync(target)
    if (found.nlink === 1) {
      freed.bytes += found.size
      freed.files += 1
    }
    done += 1
    if (done % FILES_IN_A_ROW === 0) await setImmediate()
  }
  await remove(path)
  return freed
}
