import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FILE_MODE, FOLDER_MODE } from '../bag/hashed-file.ts'
import { isGone, type ProcessOwner, parseOwner, thisProcess } from '../process-owner.ts'

/** Hidden, and unlike any backup's name: nothing in it passes for a backup. */
const WORKSPACE_NAME = /^\.collab-export-[0-9a-f]{16}\.tmp$/

const OWNER_FILE = 'owner.json'

/** How often a run shows that it is alive. */
const HEARTBEAT_MS = 30_000

/** A run without a sign of life for so long is dead, even where its process id says nothing: another host, or a reused one. */
const DEAD_AFTER_MS = 60 * 60 * 1000

/** A folder beside the backups in which one is made; removed when disposed of. */
export interface Workspace extends AsyncDisposable {
  /** The folder itself. */
  readonly path: string
  /** The bag to be, an empty folder. */
  readonly bag: string
}

/** Opens a workspace in an existing directory. */
export async function openWorkspace(directory: string): Promise<Workspace> {
  const path = join(directory, `.collab-export-${randomBytes(8).toString('hex')}.tmp`)
  await mkdir(path, { mode: FOLDER_MODE })
  try {
    const ownerFile = join(path, OWNER_FILE)
    await writeFile(ownerFile, JSON.stringify(thisProcess()), { mode: FILE_MODE })
    const bag = join(path, 'bag')
    await mkdir(bag, { mode: FOLDER_MODE })
    const heartbeat = setInterval(() => void showLife(ownerFile), HEARTBEAT_MS).unref()
    return {
      path,
      bag,
      async [Symbol.asyncDispose]() {
        clearInterval(heartbeat)
        await removeWorkspace(path)
      },
    }
  } catch (error) {
    await removeWorkspace(path)
    throw error
  }
}

/** Removes the workspaces of runs that were killed; those of live ones stay. Gives the names of those removed. */
export async function removeLeftovers(directory: string, now = Date.now()): Promise<string[]> {
  const removed: string[] = []
  for (const name of await readdir(directory)) {
    if (!WORKSPACE_NAME.test(name)) continue
    const path = join(directory, name)
    if (await isInUse(path, now)) continue
    await removeWorkspace(path)
    removed.push(name)
  }
  return removed
}

/** Whose it is goes last: a run that is killed meanwhile leaves what the next one knows to be left behind. */
async function removeWorkspace(path: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 3 }
  const entries = await readdir(path).catch(() => []) // gone, or not to be read: then the last line tells
  for (const name of entries.filter((entry) => entry !== OWNER_FILE)) await rm(join(path, name), options)
  await rm(path, options)
}

async function isInUse(path: string, now: number): Promise<boolean> {
  const [owner, lastLife] = await Promise.all([readOwner(path), lastLifeOf(path)])
  if (lastLife === null) return false
  if (owner !== null && isGone(owner)) return false
  return now - lastLife < DEAD_AFTER_MS
}

async function readOwner(path: string): Promise<ProcessOwner | null> {
  // Killed before it was written: its age decides.
  const text = await readFile(join(path, OWNER_FILE), 'utf8').catch(() => null)
  return text === null ? null : parseOwner(text)
}

/** The last heartbeat, or when the folder was made; `null` when it is gone meanwhile. */
async function lastLifeOf(path: string): Promise<number | null> {
  for (const place of [join(path, OWNER_FILE), path]) {
    const found = await stat(place).catch(() => null)
    if (found) return found.mtimeMs
  }
  return null
}

async function showLife(ownerFile: string): Promise<void> {
  const now = new Date()
  await utimes(ownerFile, now, now).catch(() => {}) // on its way out; a missed sign harms nobody
}
