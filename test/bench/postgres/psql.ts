import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export const PSQL = 'psql'

/** Runs a script in one `psql` session; returns its output. Stops at the first error. */
export async function psql(url: string, script: string): Promise<string> {
  const { address, password } = withoutPassword(url)
  const running = promisify(execFile)(PSQL, ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', address, '-f', '-'], {
    env: { ...process.env, ...(password !== '' && { PGPASSWORD: password }) },
    maxBuffer: 64 * 2 ** 20,
  })
  running.child.stdin?.end(script)
  return (await running).stdout
}

/** Passed in the environment, because every user can see arguments in the process list. */
function withoutPassword(url: string): { address: string; password: string } {
  const address = new URL(url)
  const password = decodeURIComponent(address.password)
  address.password = ''
  return { address: address.href, password }
}
