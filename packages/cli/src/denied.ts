import { readFileSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { CliError } from './errors.ts'

/** The error for a file or directory that this user may not read; `null`: it is another error. */
export function deniedError(error: unknown): CliError | null {
  if (!(error instanceof Error && 'path' in error && isDenied(error))) return null
  const path = String(error.path)
  return new CliError(`${path} cannot be read: ${whoMayRead(path)}`, { code: 'DENIED', cause: error })
}

export function isDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')
}

/** Whose user may read a path that this one may not. */
export function whoMayRead(path: string): string {
  const [denying, { uid }] = firstVisible(path)
  const name = nameOf(uid)
  const around = statSync(dirname(denying))
  // root made it in a directory of another user
  const isMisplaced = uid === 0 && around.uid !== 0
  const advice = isMisplaced
    ? `give it to the owner of its directory: chown -R ${around.uid}:${around.gid} ${denying}`
    : uid === 0
      ? 'run this as root'
      : `run this as that user (sudo -u ${name ?? `'#${uid}'`}) or as root`
  return `${denying === path ? 'it' : denying} belongs to the user ${name ?? uid}; ${advice}`
}

/** The path, or the first directory above it that can be seen: it hides what is in it. */
function firstVisible(path: string): [path: string, stats: Stats] {
  try {
    return [path, statSync(path)]
  } catch (error) {
    const parent = dirname(path)
    if (parent === path) throw error
    return firstVisible(parent)
  }
}

/** `null`: the machine has no user of that number, as with the images of containers. */
function nameOf(uid: number): string | null {
  try {
    const users = readFileSync('/etc/passwd', 'utf8').split('\n')
    return users.map((line) => line.split(':')).find(([, , id]) => id === String(uid))?.[0] ?? null
  } catch {
    return null
  }
}
