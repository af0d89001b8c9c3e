import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { newScratch } from '@collab-etl/harness/scratch'
import { onTestFinished } from 'vitest'

const run = promisify(execFile)

/** Whether whoever runs the tests may mount file systems; where root cannot either, the tests fail and say so. */
export const CAN_MOUNT = process.platform === 'linux' && process.getuid?.() === 0

/** Mounts a directory, which then cannot be removed; the result undoes it. */
export async function mountOn(path: string): Promise<() => Promise<void>> {
  await run('mount', ['-t', 'tmpfs', 'tmpfs', path])
  return async () => void (await run('umount', [path]))
}

/** A small file system in memory, which goes when the test does. */
export async function tmpfs(
  bytes: number,
): Promise<{ readonly path: string; readonly makeReadOnly: () => Promise<void> }> {
  const { path, remove } = await newScratch()
  await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path])
  onTestFinished(async () => {
    await run('umount', ['--lazy', path]) // another process may look at all mounts just then
    await remove()
  })
  return {
    path,
    async makeReadOnly() {
      await run('mount', ['-o', 'remount,ro', path])
    },
  }
}
