import { constants } from 'node:fs'
import { chmod, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { keepOwner, replaceFile } from '@collab-etl/lock'
import type { ReportFacts } from './facts.ts'
import { GENERATOR, reportPage } from './page.ts'

/**
 * Writes the report as `index.html` into a directory, which is created if only its last part is missing. An earlier report is replaced
 * only by a complete one, and a page of another origin never. Every user of the machine may read it, as a web server must.
 * @returns the path of the file, and its size in bytes
 * @throws if the directory cannot be written, or has an `index.html` that is no report
 */
export async function writeReport(directory: string, facts: ReportFacts): Promise<{ path: string; bytes: number }> {
  const path = join(directory, 'index.html')
  await refuseOtherPage(path)
  const page = await reportPage(facts)
  await createDirectory(directory)
  await replaceFile(path, page, 0o644)
  return { path, bytes: Buffer.byteLength(page) }
}

async function createDirectory(path: string): Promise<void> {
  try {
    await mkdir(path)
    keepOwner(path)
    await chmod(path, 0o755) // also with a strict umask
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** More than what precedes the name of the generator in a report. */
const BEGIN_BYTES = 4096

async function refuseOtherPage(path: string): Promise<void> {
  const begin = await beginOf(path)
  if (begin === '' || begin.includes(GENERATOR)) return
  throw new Error(`${path} was not written by collab-nightly, and is not replaced`)
}

/** Empty if there is no such file. */
async function beginOf(path: string): Promise<string> {
  try {
    // a pipe would block
    await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(BEGIN_BYTES) })
    return buffer.toString('utf8', 0, bytesRead)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return ''
    throw error
  }
}
