import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A floor's times in milliseconds. */
export interface PlainFiles {
  readonly ms: number
  /** Flushing to the disk what was written, as a backup does. */
  readonly flushMs: number
}

/** Writes and hashes the bytes of a backup to the same files in a new folder, in a process of its own; see `plain-files.ts`. */
export async function writePlainFiles(backup: string, folder: string, way: 'one' | 'eight'): Promise<PlainFiles> {
  const program = join(import.meta.dirname, 'plain-files.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, backup, folder, way])
  return JSON.parse(stdout) as PlainFiles // what that program prints
}

/** Milliseconds of `sha256sum -c` on a bag. */
export async function sha256sum(bag: string): Promise<number> {
  const begun = performance.now()
  await promisify(execFile)('sha256sum', ['--quiet', '-c', 'manifest-sha256.txt'], { cwd: bag })
  return performance.now() - begun
}

/** Has the disk take what others left in the system's memory, so that each measurement starts alike. */
export async function settleFiles(folder: string): Promise<void> {
  await promisify(execFile)('sync', ['--file-system', folder])
}
