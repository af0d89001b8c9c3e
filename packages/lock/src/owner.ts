import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { type Machine, startOf, thisMachine } from './machine.ts'

/** The process that holds a lock, as recorded in the lock file. */
export interface Owner extends Machine {
  readonly pid: number
  readonly host: string
  /** Start time as in `/proc/PID/stat`, because process ids are reused; `null` if unavailable. */
  readonly began: string | null
  /** Start time in ISO 8601, for messages. */
  readonly since: string
  /** Whether the process also holds the operating system's lock of the file. */
  readonly osLock: boolean
  /** Random; identifies this lock. */
  readonly token: string
}

/** Size of a record in bytes. It is fixed, so that every write replaces the previous record completely. */
export const RECORD_BYTES = 1024

export async function thisOwner(): Promise<Omit<Owner, 'osLock'>> {
  const [machine, began] = await Promise.all([thisMachine(), startOf(process.pid)])
  const since = new Date(Date.now() - process.uptime() * 1000).toISOString().replace(/\.\d+/, '')
  return { pid: process.pid, host: hostname(), ...machine, began, since, token: randomUUID() }
}

export function formatOwner(owner: Owner): Buffer {
  return Buffer.from(`${JSON.stringify(owner).padEnd(RECORD_BYTES - 1)}\n`)
}

/** Parses a record, including those of an earlier version, which held only process and host. Returns `null` for any other text. */
export function parseOwner(text: string): Owner | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('host' in value)) return null
    const { pid, host } = value
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1 || typeof host !== 'string') return null
    const field = (name: string) => {
      const found = Object.entries(value).find(([key]) => key === name)?.[1]
      return typeof found === 'string' ? found : ''
    }
    return {
      pid,
      host,
      boot: field('boot'),
      pidNamespace: field('pidNamespace'),
      began: field('began') || null,
      since: field('since'),
      token: field('token'),
      osLock: 'osLock' in value && value.osLock === true,
    }
  } catch {
    return null
  }
}

/** Describes a process for a message: `process 12 on db1 (started 2026-01-02T03:04:05Z)`, or `another process` if unknown. */
export async function describeOwner(owner: Owner | null): Promise<string> {
  if (owner === null) return 'another process'
  const { boot, pidNamespace } = await thisMachine()
  const isElsewhere = owner.boot === boot && owner.pidNamespace !== pidNamespace
  const where = isElsewhere ? `in another container on ${owner.host}` : `on ${owner.host}`
  return `process ${owner.pid} ${where}${owner.since === '' ? '' : ` (started ${owner.since})`}`
}

/**
 * Why a lock could not be taken or kept:
 * - `HELD`: another process holds the lock
 * - `LOST`: the lock was held, but its file was removed, replaced or taken over
 * - `NOT_A_FILE`: something other than a file has the name of the lock file
 */
export type LockErrorCode = 'HELD' | 'LOST' | 'NOT_A_FILE'

/** Thrown by `takeLock`, `holdFile` and `Lock.check`. The message names the lock file and, if known, its owner. */
export class LockError extends Error {
  override readonly name = 'LockError'
  readonly code: LockErrorCode
  /** The process that holds the lock; `null` if its record cannot be read. */
  readonly owner: Owner | null

  constructor(code: LockErrorCode, message: string, owner: Owner | null = null) {
    super(message)
    this.code = code
    this.owner = owner
  }
}

/** Whether a value is a `LockError`, of one code if given. */
export function isLockError(error: unknown, code?: LockErrorCode): error is LockError {
  return error instanceof LockError && (code === undefined || error.code === code)
}
