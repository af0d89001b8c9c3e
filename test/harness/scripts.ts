import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment } from './commands.ts'

const COMMAND = join(import.meta.dirname, 'script-command.ts')

// Starting `npx` and a command takes most of the time of an example. The test of the README's first minute starts them as users do.
const FUNCTIONS = [
  'npx() { "$@"; }',
  ...['collab-extract', 'collab-export'].map(
    (name) => `${name}() { '${process.execPath}' '${COMMAND}' ${name} "$@"; }`,
  ),
].join('\n')

/** Runs an example of the documentation in `cwd`, its commands in command hosts. Returns its stdout. */
export async function runScript(
  script: string,
  { cwd, env }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const hosts = process.env['COLLAB_TEST_COMMAND_HOSTS'] ?? ''
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', `${FUNCTIONS}\n${script}`], {
    ...{ cwd, env: { ...cleanEnvironment(), ...env, COLLAB_TEST_COMMAND_HOSTS: hosts } },
  })
  return stdout
}
