import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

/** Copies a directory to a path that does not exist yet. `cp` of Node takes 1 s of processor time for the 1,000 files of a database. */
export async function copyDirectory(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await promisify(execFile)('cp', ['-R', from, to])
}
