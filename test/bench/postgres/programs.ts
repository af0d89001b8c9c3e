import { execFile } from 'node:child_process'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Postgres does not run as root: use the user that its packages create. */
const SERVER_USER = 'postgres'

const asRoot = userInfo().uid === 0

/** Directory of Postgres' programs on this machine. */
export async function binariesFolder(): Promise<string> {
  const { stdout } = await execute('pg_config', ['--bindir']).catch((cause: unknown) => {
    throw new Error('no pg_config: install Postgres with its development files, or set DATABASE_URL', { cause })
  })
  return stdout.trim()
}

/** Runs one of the server's programs, not as root. Throws an error with its output. */
export async function runProgram(folder: string, program: string, args: readonly string[]): Promise<string> {
  const path = join(folder, program)
  const [file, all] = asRoot ? ['runuser', ['-u', SERVER_USER, '--', path, ...args]] : [path, [...args]]
  const { stdout } = await execute(file, all, { cwd: '/', maxBuffer: 64 * 2 ** 20 })
  return stdout
}

/** Gives a directory to the user that runs the server. */
export async function giveToServer(folder: string): Promise<void> {
  if (asRoot) await execute('chown', [SERVER_USER, folder])
}
