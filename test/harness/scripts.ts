import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment } from './commands.ts'

const COMMAND = join(import.meta.dirname, 'script-command.ts')

// Starting a command takes most of the time of an example. The test of the README's first minute starts them as users do.
const FUNCTIONS = ['collab-extract', 'collab-export', 'tap-collab']
  .map((name) => `${name}() { '${process.execPath}' '${COMMAND}' ${name} "$@"; }`)
  .join('\n')

export interface ScriptOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs an example of the documentation in `cwd`. Returns its stdout. */
export async function runScript(script: string, { cwd, env }: ScriptOptions): Promise<string> {
  const hosts = process.env['COLLAB_TEST_COMMAND_HOSTS'] ?? ''
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', `${FUNCTIONS}\n${script}`], {
    cwd,
    env: { ...cleanEnvironment(), ...env, COLLAB_TEST_COMMAND_HOSTS: hosts },
  })
  return stdout
}
