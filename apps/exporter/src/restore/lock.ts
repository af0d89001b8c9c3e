import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { CliError, EXIT } from '@collab-etl/cli'
import { FILE_MODE } from '../bag/hashed-file.ts'
import { isGone, parseOwner, thisProcess } from '../process-owner.ts'

/**
 * Makes sure that one restore at a time writes a journal: two would create everything twice. A lock of a process that is
 * gone is taken over; one of another machine, of which that cannot be known, is not.
 */
export async function lockJournal(journal: string): Promise<AsyncDisposable> {
  const path = `${journal}.lock`
  const own = JSON.stringify({ ...thisProcess(), nonce: randomBytes(8).toString('hex') })
  const fresh = `${path}.${randomBytes(8).toString('hex')}`
  await writeFile(fresh, own, { flag: 'wx', mode: FILE_MODE })
  try {
    while (!(await linkedTo(fresh, path))) await removeIfDead(path)
  } finally {
    await rm(fresh, { force: true })
  }
  return {
    async [Symbol.asyncDispose]() {
      await rm(path, { force: true })
    },
  }
}

/** In one step, and with its content: a lock is never seen half written. */
async function linkedTo(fresh: string, path: string): Promise<boolean> {
  try {
    await link(fresh, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

async function removeIfDead(path: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) return
  const owner = parseOwner(text)
  if (owner === null || !isGone(owner)) {
    const who = owner === null ? 'somebody' : `process ${owner.pid} on ${owner.host}`
    throw new CliError(
      `another restore of this backup into the same project is under way (${who}). If it is not, remove ${path}`,
      { exitCode: EXIT.locked, code: 'LOCKED' },
    )
  }
  // Out of the way first: what another restore has put in its place meanwhile is put back.
  const dead = `${path}.${randomBytes(8).toString('hex')}`
  await rename(path, dead).catch(() => {}) // another restore was faster: the next look tells
  if ((await readFile(dead, 'utf8').catch(() => text)) !== text) await linkedTo(dead, path)
  await rm(dead, { force: true })
}
