import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * Copies what a directory holds into another one, which is made if it does not exist. Node's own `cp` takes a second of processor
 * time for the 1,000 files of an embedded database.
 */
export async function copyDirectory(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await promisify(execFile)('cp', ['-R', `${from}/.`, to])
}
