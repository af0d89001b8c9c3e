import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment } from './commands.ts'

const COMMAND = join(import.meta.dirname, 'script-command.ts')

// Starting a command takes most of the time of an example. The test of the README's first minute starts them as users do.
const FUNCTIONS = ['collab-extract', 'collab-export', 'tap-collab']
  .map((name) => `${name}() { '${process.execPath}' '${COMMAND}' ${name} "$@"; }`)
  .join('\n')

// A script that fails ends what it started.
const PROCESSES = `trap '[ $? = 0 ] || kill 0' EXIT`

export interface ScriptOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Runs each command in a process of its own, in a new process group that is killed after so many seconds. Default: command hosts run them. */
  readonly ownProcessesFor?: number | undefined
}

/** Runs an example of the documentation in `cwd`. Returns its stdout. */
export async function runScript(script: string, { cwd, env, ownProcessesFor }: ScriptOptions): Promise<string> {
  const hosts = process.env['COLLAB_TEST_COMMAND_HOSTS'] ?? ''
  const isOwn = ownProcessesFor !== undefined
  const bash = ['bash', '-euo', 'pipefail', '-c', `${isOwn ? PROCESSES : FUNCTIONS}\n${script}`]
  const [program = '', ...args] = isOwn ? ['timeout', '--signal=KILL', String(ownProcessesFor), ...bash] : bash
  const { stdout } = await promisify(execFile)(program, args, {
    cwd,
    env: { ...cleanEnvironment(), ...env, COLLAB_TEST_COMMAND_HOSTS: hosts },
  })
  return stdout
}
