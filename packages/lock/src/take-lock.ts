import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBeat } from './beat.ts'
import { ifExists } from './if-exists.ts'
import { LockFile } from './lock-file.ts'
import { isLocal, isRunning, thisMachine } from './machine.ts'
import { type OsLock, tryOsLock } from './os-lock.ts'
import { describeOwner, isLockError, LockError, type Owner, parseOwner, thisOwner } from './owner.ts'

/** A lock that is held. Disposing of it releases it. */
export interface Lock extends AsyncDisposable {
  /**
   * Call this before each step that must not happen twice.
   *
   * @throws LockError `LOST` if the lock file was removed, replaced or taken over
   */
  check(): void
  /** Releases the lock. Never throws; a second call does nothing. */
  release(): Promise<void>
}

/** Timing of `takeLock`; all times in milliseconds. */
export interface LockOptions {
  /** Interval of the heartbeat. Default: 5,000. */
  readonly beatMs?: number
  /** How long the heartbeat of an owner on another host is watched. Default: 60,000. */
  readonly watchMs?: number
  /** Without a lock of the operating system: how long to wait for a competing process to overwrite the record. Default: 2,000. */
  readonly settleMs?: number
  /** Called when watching starts; `owner` is `null` if the record cannot be read. */
  readonly onWatch?: (owner: Owner | null, watchMs: number) => void
  /** Aborts watching: `takeLock` then throws an `AbortError`. */
  readonly signal?: AbortSignal
  /** For tests: replaces the operating system's lock. */
  readonly osLock?: (fd: number) => Promise<OsLock>
}

type Resolved = Required<Omit<LockOptions, 'signal'>> & Pick<LockOptions, 'signal'>

const DEFAULTS: Resolved = { beatMs: 5000, watchMs: 60_000, settleMs: 2000, onWatch: () => {}, osLock: tryOsLock }

/** How long to wait for the record of a process that has just taken the lock, in order to name it. On a busy machine it takes seconds. */
const RECORD_MS = 5000

/** The locks that this process holds, by token. Keeps their files open even if a caller forgets a lock without releasing it. */
const held = new Map<string, LockFile>()

/**
 * Takes the lock file `path`: creates it if necessary, and removes it on release.
 *
 * Between processes of one kernel, including its containers, the operating system's lock decides. It says nothing about another
 * host, because some network file systems lock per host only, and some systems have no locks. There an owner counts as dead if
 * its process has ended (visible only in the same PID namespace), or if its file does not change for `watchMs` while it is
 * watched. Clocks are not compared.
 *
 * @example await using lock = await takeLock('/var/lib/app/app.lock')
 * @throws LockError `HELD` with the owner, or `NOT_A_FILE`; file system errors unchanged
 */
export async function takeLock(path: string, options: LockOptions = {}): Promise<Lock> {
  const resolved = { ...DEFAULTS, ...options }
  for (;;) {
    const file = await LockFile.open(path)
    try {
      const lock = await tryTake(file, resolved)
      if (lock !== null) return lock
    } catch (error) {
      await file.close()
      throw error
    }
    await file.close()
  }
}

/**
 * The process that holds the lock file `path`, whose record alone is read; `null`: there is none. An owner that this process cannot see, as on
 * another host, counts as alive while its heartbeat is younger than a minute by the clock of this one.
 */
export async function lockOwner(path: string): Promise<Owner | null> {
  const owner = parseOwner((await ifExists(readFile(path, 'utf8'))) ?? '')
  if (owner === null) return null
  const { boot, pidNamespace } = await thisMachine()
  if (owner.boot === boot && owner.pidNamespace === pidNamespace)
    return (await isRunning(owner.pid, owner.began)) ? owner : null
  const beat = await ifExists(stat(path))
  return beat !== null && Date.now() - beat.mtimeMs < DEFAULTS.watchMs ? owner : null
}

/** Returns `null` if the file was removed or replaced meanwhile. */
async function tryTake(file: LockFile, options: Resolved): Promise<Lock | null> {
  const osLock = await options.osLock(file.fd)
  if (osLock === 'held') throw await heldBy(file)
  if (!(await file.isCurrent())) return null
  const owner: Owner = { ...(await thisOwner()), osLock: osLock === 'taken' }
  try {
    const proof = file.isNew ? await canProve(file, osLock) : await judge(file, owner, options)
    if (proof === null) return null
    await file.write(owner)
    if (!proof) await settle(file, owner, options)
  } catch (error) {
    // on a full disk, remove the empty file; keep a file that another process has taken
    if (file.isNew && !isLockError(error)) await file.remove().catch(() => {})
    throw error
  }
  return hold(file, owner, options)
}

function hold(file: LockFile, owner: Owner, { beatMs }: Resolved): Lock {
  held.set(owner.token, file)
  const beat = startBeat(file.fd, beatMs)
  let isReleased = false
  const lock: Lock = {
    check() {
      if (!file.isOwn(owner.token)) {
        throw new LockError('LOST', `the lock ${file.path} was lost: its file was removed, replaced or taken over`)
      }
    },
    async release() {
      if (isReleased) return
      isReleased = true
      await beat.stop()
      // a file that cannot be removed is free too: the operating system's lock and the heartbeat end
      if (file.isOwn(owner.token)) await file.remove().catch(() => {})
      held.delete(owner.token)
      await file.close().catch(() => {})
    },
    [Symbol.asyncDispose]: () => lock.release(),
  }
  return lock
}

/** Whether the operating system's lock proves that no other process holds the lock. */
async function canProve({ path }: LockFile, osLock: OsLock): Promise<boolean> {
  return osLock === 'taken' && (await isLocal(dirname(path)))
}

/**
 * Judges the owner of an existing lock file. Throws if it is alive. Otherwise returns whether its death is proven, or `null` if the
 * file was replaced meanwhile.
 */
async function judge(file: LockFile, self: Owner, options: Resolved): Promise<boolean | null> {
  const { owner } = await file.read()
  const isSameKernel = owner?.boot === self.boot
  const isOsLocked = self.osLock && (owner === null || owner.osLock)
  if (isOsLocked && (isSameKernel || (await isLocal(dirname(file.path))))) return true
  if (owner !== null && isSameKernel && owner.pidNamespace === self.pidNamespace) {
    // a released lock of this process whose file could not be removed
    const isOurs = owner.pid === self.pid && !held.has(owner.token)
    if (!isOurs && (await isRunning(owner.pid, owner.began))) throw await heldBy(file)
    return false
  }
  return (await isSilent(file, options)) ? false : null
}

/** Watches the file for `watchMs`. Throws when its owner sends a heartbeat; returns `false` if the file was replaced. */
async function isSilent(file: LockFile, { watchMs, onWatch, signal }: Resolved): Promise<boolean> {
  const first = await file.read()
  onWatch(first.owner, watchMs)
  const end = performance.now() + watchMs
  while (performance.now() < end) {
    await sleep(Math.min(watchMs / 10, 1000), undefined, { ...(signal && { signal }) })
    if (!(await file.isCurrent())) return false
    if ((await file.read()).changed !== first.changed) throw await heldBy(file)
  }
  return true
}

/** If several processes find the lock free, the last one to write its record gets it. */
async function settle(file: LockFile, { token }: Owner, { settleMs }: Resolved): Promise<void> {
  await sleep(settleMs)
  if (!file.isOwn(token)) throw await heldBy(file)
}

async function heldBy(file: LockFile): Promise<LockError> {
  let owner: Owner | null = null
  const end = performance.now() + RECORD_MS
  do {
    owner = (await file.read().catch(() => null))?.owner ?? null
    if (owner !== null) break
    await sleep(50)
  } while (performance.now() < end)
  return new LockError('HELD', `${file.path} is locked by ${await describeOwner(owner)}`, owner)
}
