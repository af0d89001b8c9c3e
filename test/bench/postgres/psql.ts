import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a script in one `psql` session; gives what it printed. The first error ends it. */
export async function psql(url: string, script: string): Promise<string> {
  const running = promisify(execFile)('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', url, '-f', '-'], {
    maxBuffer: 64 * 2 ** 20,
  })
  running.child.stdin?.end(script)
  return (await running).stdout
}
