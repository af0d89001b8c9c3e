import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { WarehouseError } from '../errors.ts'

/** How often the owner shows that it is alive, and after how long a silent owner on another host counts as dead. */
const BEAT_MS = 15_000
const SILENT_MS = 5 * 60_000

interface Owner {
  readonly pid: number
  readonly host: string
  /** When the process began, where the system tells: a process id is used again. */
  readonly began: string | null
  readonly token: string
}

/** Locks that this process holds, by file. */
const held = new Set<string>()

/** Takes a lock file, or throws `LOCKED` naming its owner. A file whose owner is dead is replaced. */
export async function takeLockFile(path: string, what: string): Promise<{ release(): Promise<void> }> {
  const owner: Owner = {
    pid: process.pid,
    host: hostname(),
    began: await beginOf(process.pid),
    token: randomUUID(),
  }
  if (held.has(path)) throw lockedBy(owner, what)
  held.add(path)
  try {
    await create(path, owner, what)
  } catch (error) {
    held.delete(path)
    throw error
  }
  const beat = setInterval(() => {
    const now = new Date()
    // a missed beat does no harm; the next one may succeed
    utimes(path, now, now).catch(() => {})
  }, BEAT_MS)
  beat.unref()
  return {
    async release() {
      clearInterval(beat)
      if (!held.delete(path)) return
      if ((await read(path))?.token === owner.token) await rm(path, { force: true })
    },
  }
}

async function create(path: string, owner: Owner, what: string): Promise<void> {
  for (;;) {
    if (await tryCreate(path, owner)) return
    const other = await read(path)
    if (other === null) continue
    if (await isAlive(path, other)) throw lockedBy(other, what)
    await removeStale(path, other, what)
  }
}

/** Of several processes at once one succeeds. */
async function tryCreate(path: string, owner: Owner): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(owner), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** Takes the stale file away; if another process was faster and the file is its new one, it is put back. */
async function removeStale(path: string, stale: Owner, what: string): Promise<void> {
  const aside = `${path}.stale.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch {
    return // gone already
  }
  const moved = await read(aside)
  const isOther = moved !== null && moved.token !== stale.token
  if (isOther) await tryCreate(path, moved)
  await rm(aside, { force: true })
  if (isOther) throw lockedBy(moved, what)
}

async function isAlive(path: string, owner: Owner): Promise<boolean> {
  if (owner.host !== hostname()) {
    const file = await stat(path).catch(() => null)
    return file !== null && Date.now() - file.mtimeMs < SILENT_MS
  }
  // our own id, but not held by us: a process before us had it, as the first one of every container has
  if (owner.pid === process.pid) return false
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    // not ours to signal, but there
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  const began = await beginOf(owner.pid)
  return began === null || owner.began === null || began === owner.began
}

/** Field 22 of /proc/PID/stat; `null` where there is no such thing. */
async function beginOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

async function read(path: string): Promise<Owner | null> {
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    if (isOwner(value)) return value
  } catch {
    // not written by this tool, or cut off
  }
  return { pid: 0, host: '', began: null, token: '' }
}

function isOwner(value: unknown): value is Owner {
  return typeof value === 'object' && value !== null && 'pid' in value && 'host' in value && 'token' in value
}

function lockedBy(owner: Owner, what: string): WarehouseError {
  return new WarehouseError(
    'LOCKED',
    `${what} is in use by process ${owner.pid} on ${owner.host}; wait until it has ended (one process at a time can use it)`,
  )
}
