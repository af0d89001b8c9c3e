import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '@collab-etl/cli'
import { keepOwner, makeDirectory } from '@collab-etl/lock'
import { recordDirectory } from './record.ts'

/** As much as the summaries of a night with some thousand projects take. */
const PROBE_BYTES = 4 * 2 ** 20

/**
 * A new directory for the summaries of the steps: in the system's temporary directory, or beside the backups if that is full or missing.
 * @returns `null` if neither can be used: then the steps run without summaries
 */
export async function workDirectory({ log }: Pick<Context, 'log'>, out: string): Promise<string | null> {
  const system = tmpdir()
  try {
    return await usableDirectory(system)
  } catch (error) {
    const reason = reasonOf(error)
    const beside = recordDirectory(out)
    try {
      makeDirectory(beside, 0o700)
      const directory = await usableDirectory(beside)
      log.warn(
        { reason },
        `the temporary directory ${system} cannot be used: summaries are kept in ${beside} meanwhile`,
      )
      return directory
    } catch {
      log.warn({ reason }, 'the temporary directory cannot be used: the run is reported without its figures')
      return null
    }
  }
}

/** Makes a directory that can take the summaries: without them, a step that succeeded would count as failed. */
async function usableDirectory(parent: string): Promise<string> {
  const directory = await mkdtemp(join(parent, 'collab-nightly-'))
  keepOwner(directory)
  try {
    const probe = join(directory, 'probe')
    await writeFile(probe, Buffer.alloc(PROBE_BYTES), { flag: 'wx', mode: 0o600 })
    await rm(probe) // the file is closed: NFS and FUSE keep a removed file while it is open
    return directory
  } catch (error) {
    await rm(directory, { recursive: true, force: true }).catch(() => {}) // report the original error
    throw error
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
