import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 6 * 1024 ** 3
const NAME = /^collab-etl-test-(\d+)$/

/**
 * Gives the tests of this run a temporary directory in memory, where there is enough of it: they make thousands of small files and
 * wait for each to reach the disk. It is removed when this process ends; that of
 * a run that was killed is removed now.
 */
export function useMemoryDirectory(): void {
  if (process.env['TMPDIR'] !== undefined || !hasEnoughMemory()) return
  for (const entry of readdirSync(MEMORY)) {
    const pid = NAME.exec(entry)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) removeIfPossible(join(MEMORY, entry))
  }
  const path = join(MEMORY, `collab-etl-test-${process.pid}`)
  mkdirSync(path, { recursive: true })
  process.env['TMPDIR'] = path
  process.on('exit', () => removeIfPossible(path))
}

/** Removes a directory, unless something in it cannot be removed. */
export function removeIfPossible(path: string): void {
  try {
    // a program that is ending may still write to it
    rmSync(path, { recursive: true, force: true, maxRetries: 4, retryDelay: 100 })
  } catch {
    // a test that was killed may have left a file system mounted in it
  }
}

/** Whether there is enough free memory for the files of the tests. */
export function hasEnoughMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > ENOUGH_BYTES && process.availableMemory() > ENOUGH_BYTES
  } catch {
    return false // no such directory on this system
  }
}

/** Whether there is a process of that id, of any user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
