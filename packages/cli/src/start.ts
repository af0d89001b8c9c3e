/** The oldest Node that runs the programs, as `engines` of their packages says. */
const OLDEST_NODE = [22, 19] as const

/**
 * Whether the program can run here: on a recent Node, in a working directory that exists. If not, says so on stderr (and as the document
 * of `--json`) and sets exit code 2. To be asked before anything else is loaded: with an older Node or without a directory, many
 * modules fail with a stack trace as they load.
 */
export function canStart(program: string): boolean {
  const problem = nodeProblem(process.versions.node) ?? directoryProblem()
  if (problem === null) {
    endWithParent()
    return true
  }
  if (process.argv.includes('--json')) {
    process.stdout.write(`${JSON.stringify({ error: { code: 'USAGE', message: problem, exit_code: 2 } })}\n`)
  }
  process.stderr.write(`${program}: ${problem}\n`)
  process.exitCode = 2
  return false
}

/** Set for a child process that must not outlive its parent. Both have a channel, which closes when the parent dies. */
export const ENDS_WITH_PARENT = 'COLLAB_ENDS_WITH_PARENT'

let isOwn = false

/** Whether a program of ours started this process, and has warned the user already. */
export function isOwnChild(): boolean {
  return isOwn
}

/** Lets the process end as after SIGTERM when the program of ours that started it dies, which a killed one cannot do itself. */
function endWithParent(): void {
  if (process.env[ENDS_WITH_PARENT] === undefined) return
  isOwn = true
  // it is for this process, not for those that it starts
  delete process.env[ENDS_WITH_PARENT]
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  // the channel alone does not keep the process running
  process.channel?.unref()
}

/** Why a version of Node cannot be used; `null`: it can. */
export function nodeProblem(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldest, oldestMinor] = OLDEST_NODE
  if (major > oldest || (major === oldest && minor >= oldestMinor)) return null
  return `this is Node ${version}, and version ${OLDEST_NODE.join('.')} or later is needed: install it from https://nodejs.org`
}

function directoryProblem(): string | null {
  try {
    process.cwd()
    return null
  } catch {
    return 'the working directory was removed: change to one that exists (cd)'
  }
}
