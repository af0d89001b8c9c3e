import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { CliError, childEnvironment, EXIT, type ExitCode, Interrupted } from '@collab-etl/cli'

export interface ProgramOptions {
  /** Environment besides that of this process. */
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Whether stdout is returned; otherwise it is that of this process. */
  readonly capture: boolean
}

export interface ProgramResult {
  readonly exitCode: ExitCode
  /** Empty unless captured. */
  readonly stdout: string
}

/**
 * Runs one of the commands to its end. An interruption is passed to the command, and thrown once the command has ended.
 */
export async function runProgram(
  name: ProgramName,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  const { signal, capture } = options
  signal.throwIfAborted()
  const child = spawn(process.execPath, [programPath(name), ...args], {
    env: childEnvironment(options.env),
    stdio: ['ignore', capture ? 'pipe' : 'inherit', 'inherit'],
  })
  const passOn = () => child.kill(signal.reason instanceof Interrupted ? signal.reason.signal : 'SIGTERM')
  signal.addEventListener('abort', passOn)
  try {
    const stdout = child.stdout ? text(child.stdout) : Promise.resolve('')
    const [code] = await once(child, 'close')
    signal.throwIfAborted()
    return { exitCode: knownExitCode(name, code), stdout: await stdout }
  } finally {
    signal.removeEventListener('abort', passOn)
  }
}

function knownExitCode(name: ProgramName, code: unknown): ExitCode {
  const known = Object.values(EXIT).find((exit) => exit === code)
  if (known !== undefined) return known
  throw new CliError(`${name} was killed${code === null ? '' : ` (exit code ${String(code)})`}`)
}

/** The commands that the main job is made of, and the manifests of the packages that hold them. */
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
