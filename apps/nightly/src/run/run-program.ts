import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { CliError, childEnvironment, EXIT, type ExitCode, Interrupted } from '@collab-etl/cli'
import { ENDS_WITH_PARENT } from '@collab-etl/cli/start'

/** `errors`: stderr alone. */
export type Shown = 'all' | 'errors' | 'nothing'

export interface ProgramOptions {
  /** Environment besides that of this process. */
  readonly env: Readonly<Record<string, string>>
  /** A directory in which the program runs without the settings of this process. */
  readonly apart?: string | undefined
  readonly signal: AbortSignal
  /** Milliseconds that a command has to end after SIGTERM, unless a user interrupted it. Default: 60,000. */
  readonly graceMs?: number
  /** The part of its output that goes to the output of this process; the rest is returned. */
  readonly show: Shown
}

export interface ProgramResult {
  readonly exitCode: ExitCode
  /** The end of the output that was not shown, stdout before stderr. */
  readonly printed: string
}

/** Enough for a snapshot to store what it holds. */
const GRACE_MS = 60_000

/**
 * Runs one of the commands to its end. An interruption is passed to the command, and thrown once the command has ended. Any other reason
 * of the signal ends the command, at the latest after `graceMs`. If this process is killed, the command ends as after SIGTERM.
 */
export async function runProgram(
  name: ProgramName,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  const { signal, show } = options
  signal.throwIfAborted()
  const child = spawn(process.execPath, [programPath(name), ...args], {
    env: { ...environmentOf(options), [ENDS_WITH_PARENT]: 'true' },
    cwd: options.apart,
    stdio: ['ignore', show === 'all' ? 'inherit' : 'pipe', show === 'nothing' ? 'pipe' : 'inherit', 'ipc'],
  })
  let late: NodeJS.Timeout | undefined
  const kill = () => {
    child.kill('SIGKILL')
    // a process that it started may hold its output open
    for (const stream of [child.stdout, child.stderr]) stream?.destroy()
  }
  const passOn = () => {
    const { reason } = signal
    child.kill(reason instanceof Interrupted ? reason.signal : 'SIGTERM')
    if (!(reason instanceof Interrupted)) late = setTimeout(kill, options.graceMs ?? GRACE_MS)
  }
  signal.addEventListener('abort', passOn)
  // a second signal ends this process at once: the command must not outlive it
  const atExit = () => child.kill('SIGTERM')
  process.once('exit', atExit)
  try {
    const printed = [child.stdout, child.stderr].map((stream) => (stream === null ? '' : endOf(stream)))
    const [code] = await once(child, 'close')
    signal.throwIfAborted()
    return { exitCode: knownExitCode(name, code), printed: (await Promise.all(printed)).join('') }
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', passOn)
    process.off('exit', atExit)
  }
}

function environmentOf({ env, apart }: ProgramOptions): NodeJS.ProcessEnv {
  const whole = childEnvironment(env)
  if (apart === undefined) return whole
  // a proxy would not reach a service on this machine
  const isOurs = (name: string) => /^COLLAB_|^DATABASE_URL$|^PG|^https?_proxy$/i.test(name)
  return { ...Object.fromEntries(Object.entries(whole).filter(([name]) => !isOurs(name))), ...env }
}

/** Number of characters kept of the end of an output, which has the summary and the error. */
const MOST_CHARACTERS = 200_000

async function endOf(stream: Readable): Promise<string> {
  let text = ''
  try {
    for await (const chunk of stream.setEncoding('utf8')) text = (text + String(chunk)).slice(-MOST_CHARACTERS)
  } catch {
    // the command was killed
  }
  return text
}

function knownExitCode(name: ProgramName, code: unknown): ExitCode {
  const known = Object.values(EXIT).find((exit) => exit === code)
  if (known !== undefined) return known
  throw new CliError(`${name} was killed${code === null ? '' : ` (exit code ${String(code)})`}`)
}

/** The programs that the job runs, and the manifests of their packages. */
const MANIFESTS = {
  'collab-extract': import.meta.resolve('@collab-etl/extractor/package.json'),
  'collab-export': import.meta.resolve('@collab-etl/exporter/package.json'),
  'collab-nightly': import.meta.resolve('@collab-etl/nightly/package.json'),
  'collab-sandbox': import.meta.resolve('@collab-etl/sandbox/package.json'),
} as const

export type ProgramName = keyof typeof MANIFESTS

/** Path of a command's file, as its package declares it. */
export function programPath(name: ProgramName): string {
  const manifest = fileURLToPath(MANIFESTS[name])
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin?: Record<string, string> } // a package.json
  const path = bin?.[name]
  if (path === undefined) throw new Error(`${manifest} names no command ${name}`)
  return join(dirname(manifest), path)
}
