import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { CliError, childEnvironment, EXIT, type ExitCode, Interrupted } from '@collab-etl/cli'

/** `errors`: stderr alone. */
export type Shown = 'all' | 'errors' | 'nothing'

export interface ProgramOptions {
  /** Environment besides that of this process. */
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** The part of its output that goes to the output of this process; the rest is returned. */
  readonly show: Shown
}

export interface ProgramResult {
  readonly exitCode: ExitCode
  /** The end of the output that was not shown, stdout before stderr. */
  readonly printed: string
}

/**
 * Runs one of the commands to its end. An interruption is passed to the command, and thrown once the command has ended.
 */
export async function runProgram(
  name: ProgramName,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  const { signal, show } = options
  signal.throwIfAborted()
  const child = spawn(process.execPath, [programPath(name), ...args], {
    env: childEnvironment(options.env),
    stdio: ['ignore', show === 'all' ? 'inherit' : 'pipe', show === 'nothing' ? 'pipe' : 'inherit'],
  })
  const passOn = () => child.kill(signal.reason instanceof Interrupted ? signal.reason.signal : 'SIGTERM')
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
    signal.removeEventListener('abort', passOn)
    process.off('exit', atExit)
  }
}

/** Number of characters kept of the end of an output, which has the summary and the error. */
const MOST_CHARACTERS = 200_000

async function endOf(stream: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text = (text + String(chunk)).slice(-MOST_CHARACTERS)
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
