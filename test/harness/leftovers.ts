import { readdir, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder in which a backup is made. */
export const WORKSPACE = /^\.collab-export-[0-9a-f]{16}\.tmp$/

const HOURS_MS = 2 * 60 * 60 * 1000

/** Lets hours pass for workspaces that were killed before they held whose they are: these are given up by their age alone. */
export async function ageOwnerless(directory: string): Promise<void> {
  const longAgo = new Date(Date.now() - HOURS_MS)
  for (const name of (await readdir(directory)).filter((entry) => WORKSPACE.test(entry))) {
    const owner = join(directory, name, 'owner.json')
    const size = await stat(owner).then(
      (found) => found.size,
      () => 0,
    )
    if (size > 0) continue
    await utimes(owner, longAgo, longAgo).catch(() => {}) // not made yet
    await utimes(join(directory, name), longAgo, longAgo)
  }
}
