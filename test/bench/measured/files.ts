import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What the simple backup script wrote, and how long it took in milliseconds. */
export interface ScriptBackup {
  readonly ms: number
  readonly files: number
  readonly bytes: number
}

/** Runs `backup-script.ts` on a warehouse, in a process of its own. */
export async function runBackupScript(databaseUrl: string, schema: string, folder: string): Promise<ScriptBackup> {
  const program = join(import.meta.dirname, 'backup-script.ts')
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  const { stdout } = await promisify(execFile)(process.execPath, [program, schema, folder], { env })
  return JSON.parse(stdout) as ScriptBackup // printed by that program
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
