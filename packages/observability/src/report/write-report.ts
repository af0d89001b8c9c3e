import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../replace-file.ts'
import type { ReportFacts } from './facts.ts'
import { reportPage } from './page.ts'

/**
 * Writes the report as `index.html` into a directory, which is created if only its last part is missing. An earlier report is replaced
 * only by a complete one. Every user of the machine may read it, as a web server must.
 * @returns the path of the file, and its size in bytes
 * @throws if the directory cannot be written
 */
export async function writeReport(directory: string, facts: ReportFacts): Promise<{ path: string; bytes: number }> {
  const page = await reportPage(facts)
  const path = join(directory, 'index.html')
  await createDirectory(directory)
  await replaceFile(path, page)
  return { path, bytes: Buffer.byteLength(page) }
}

async function createDirectory(path: string): Promise<void> {
  try {
    await mkdir(path)
    await chmod(path, 0o755) // also with a strict umask
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
