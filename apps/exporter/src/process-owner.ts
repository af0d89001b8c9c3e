import { hostname } from 'node:os'

/** The process that something on the disk belongs to while it lives. */
export interface ProcessOwner {
  readonly pid: number
  readonly host: string
}

export function thisProcess(): ProcessOwner {
  return { pid: process.pid, host: hostname() }
}

/** Reads an owner from its JSON; `null` where it is none, e.g. cut short. */
export function parseOwner(text: string): ProcessOwner | null {
  try {
    const owner: unknown = JSON.parse(text)
    const known = typeof owner === 'object' && owner !== null && 'pid' in owner && 'host' in owner
    return known && typeof owner.pid === 'number' && typeof owner.host === 'string'
      ? { pid: owner.pid, host: owner.host }
      : null
  } catch {
    return null
  }
}

/** Whether its process is gone; of another machine's that cannot be known. */
export function isGone({ pid, host }: ProcessOwner): boolean {
  return host === hostname() && !isAlive(pid)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: somebody else's process, alive.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
