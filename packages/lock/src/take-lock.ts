import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBeat } from './beat.ts'
import { isLockError, LockError } from './errors.ts'
import { LockFile } from './lock-file.ts'
import { isLocal, isRunning } from './machine.ts'
import { type OsLock, tryOsLock } from './os-lock.ts'
import { describeOwner, type Owner, thisOwner } from './owner.ts'

/** A lock that is held. Disposing of it releases it. */
export interface Lock extends AsyncDisposable {
  /** Throws a `LockError` (`LOST`) when the lock is no longer ours. To be called before each step that must not happen twice. */
  check(): void
  /** Never throws; a second call does nothing. */
  release(): Promise<void>
}

export interface LockOptions {
  /** How often the owner shows that it is alive, in milliseconds. Default: 5,000. */
  readonly beatMs?: number
  /** How long an owner that cannot be judged otherwise is watched for a sign of life, in milliseconds. Default: 60,000. */
  readonly watchMs?: number
  /** How long a process without proof waits to see whether another one has written over its record. Default: 2,000. */
  readonly settleMs?: number
  /** Called when such watching starts. */
  readonly onWatch?: (owner: Owner | null, watchMs: number) => void
  /** Ends the watching. */
  readonly signal?: AbortSignal
  /** For tests: how the operating system's lock is taken. */
  readonly osLock?: (fd: number) => Promise<OsLock>
}

type Resolved = Required<Omit<LockOptions, 'signal'>> & Pick<LockOptions, 'signal'>

const DEFAULTS: Resolved = { beatMs: 5000, watchMs: 60_000, settleMs: 2000, onWatch: () => {}, osLock: tryOsLock }

/** How long the record of a process that has just taken the lock is waited for, to name it. */
const RECORD_MS = 500

/** The locks that this process holds, by token. Keeps their files open even if a caller forgets a lock without releasing it. */
const held = new Map<string, LockFile>()

/**
 * Takes the lock that the file `path` stands for, or throws a `LockError` (`HELD`) with its owner. The file is made if need be,
 * and removed on release.
 *
 * The operating system's lock decides where it can: among processes of one kernel, in whatever containers they run. It says
 * nothing about another host, as some network file systems keep locks to each host, and does not exist everywhere. There an
 * owner counts as dead if its process has ended, which only its own PID namespace can see, or if its file does not change for
 * `watchMs` while it is watched. Clocks are not compared.
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

/** `null` when the file was removed or replaced meanwhile. */
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
    // an empty file that cannot be written to (a full disk) must not stay; one that another process has taken must
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
      // what cannot be removed is free all the same: the operating system's lock ends, and so does the heartbeat
      if (file.isOwn(owner.token)) await file.remove().catch(() => {})
      held.delete(owner.token)
      await file.close().catch(() => {})
    },
    [Symbol.asyncDispose]: () => lock.release(),
  }
  return lock
}

/** Whether the operating system's lock is proof that no other process has the lock. */
async function canProve({ path }: LockFile, osLock: OsLock): Promise<boolean> {
  return osLock === 'taken' && (await isLocal(dirname(path)))
}

/**
 * Judges the owner of a file that was there before. Throws if it is alive; otherwise says whether that is proven. `null` when
 * the file was replaced meanwhile.
 */
async function judge(file: LockFile, self: Owner, options: Resolved): Promise<boolean | null> {
  const { owner } = await file.read()
  const isSameKernel = owner?.boot === self.boot
  const isOsLocked = self.osLock && (owner === null || owner.osLock)
  if (isOsLocked && (isSameKernel || (await isLocal(dirname(file.path))))) return true
  if (owner !== null && isSameKernel && owner.pidNamespace === self.pidNamespace) {
    // a lock of this very process that it does not hold any more could not be removed
    const isOurs = owner.pid === self.pid && !held.has(owner.token)
    if (!isOurs && (await isRunning(owner.pid, owner.began))) throw await heldBy(file)
    return false
  }
  return (await isSilent(file, options)) ? false : null
}

/** Watches the file. Throws as soon as its owner shows that it is alive. */
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

/** Of several processes that have found the lock free, the last one to write its record gets it. */
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
    await sleep(RECORD_MS / 10)
  } while (performance.now() < end)
  return new LockError('HELD', `${file.path} is locked by ${await describeOwner(owner)}`, owner)
}
