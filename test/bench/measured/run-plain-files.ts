import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Times of a lower bound, in milliseconds. */
export interface PlainFiles {
  readonly ms: number
  /** Time for flushing the files to disk, as a backup does. */
  readonly flushMs: number
}

/** Writes and hashes the files of a backup to a new directory, in a process; see `plain-files.ts`. */
export async function writePlainFiles(backup: string, folder: string, way: 'one' | 'eight'): Promise<PlainFiles> {
  return await printedBy<PlainFiles>('plain-files.ts', [backup, folder, way])
}

/** Links the files of a backup into a new directory, in a process; see `link-files.ts`. Returns milliseconds. */
export async function linkPlainFiles(backup: string, folder: string): Promise<number> {
  return await printedBy<number>('link-files.ts', [backup, folder])
}

/** Times of the lower bound of a backup in which some records changed, in milliseconds. */
export interface ChangedFiles {
  readonly linksMs: number
  readonly copiesMs: number
  readonly flushMs: number
  /** Size of the copies. */
  readonly bytes: number
}

/** Links and copies the files of a backup into a new directory, in a process; see `changed-files.ts`. */
export async function copyChangedFiles(backup: string, folder: string): Promise<ChangedFiles> {
  return await printedBy<ChangedFiles>('changed-files.ts', [backup, folder])
}

/** What the simple backup script wrote, and how long it took in milliseconds. */
export interface ScriptBackup {
  readonly ms: number
  readonly files: number
  readonly bytes: number
}

/** Runs `backup-script.ts` on a warehouse, in a process of its own. */
export async function runBackupScript(databaseUrl: string, schema: string, folder: string): Promise<ScriptBackup> {
  return await printedBy<ScriptBackup>('backup-script.ts', [schema, folder], { DATABASE_URL: databaseUrl })
}

/** Runs a program of this folder, and returns what it prints as JSON. */
async function printedBy<T>(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<T> {
  const options = { env: { ...process.env, ...env } }
  const path = join(import.meta.dirname, program)
  const { stdout } = await promisify(execFile)(process.execPath, [path, ...args], options)
  return JSON.parse(stdout) as T // the caller names what the program prints
}

/** Milliseconds of `sha256sum -c` on a bag. */
export async function sha256sum(bag: string): Promise<number> {
  const begun = performance.now()
  await promisify(execFile)('sha256sum', ['--quiet', '-c', 'manifest-sha256.txt'], { cwd: bag })
  return performance.now() - begun
}

/** Flushes dirty pages, so that all measurements start in the same state. */
export async function settleFiles(folder: string): Promise<void> {
  await promisify(execFile)('sync', ['--file-system', folder])
}
