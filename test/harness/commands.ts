import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { Job, JobResult } from './command-hosts.ts'

const ROOT = join(import.meta.dirname, '../..')
const BIN = join(ROOT, 'node_modules/.bin')

/** Node's compile cache of the commands: a start takes a tenth of a second less with it. */
const COMPILED = join(ROOT, 'node_modules/.cache/collab-etl-compiled')

export interface Ran {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** Peak resident memory in bytes; only where it was asked for. */
  readonly peakMemory: number
}

export interface RunOptions {
  readonly cwd?: string
  /** On top of a clean environment: the settings of whoever runs the tests do not leak in. */
  readonly env?: Readonly<Record<string, string>>
  readonly measureMemory?: boolean
  /** Starts a process for the command, as a user does. Default: one that has run other commands, which is ten times faster. */
  readonly ownProcess?: boolean
  /** Words before the command: what starts it under other conditions (`prlimit --nofile=40`). It must keep its process id. */
  readonly through?: readonly string[]
  /** Called once the command runs; not for one that could not be started. */
  readonly onStart?: (command: Started) => void
}

/** A command that was started. `kill` does nothing once it has ended. */
export type Started = Pick<ChildProcess, 'kill' | 'pid' | 'stderr'>

const MAIN = {
  'collab-extract': 'apps/extractor/dist/main.js',
  'collab-export': 'apps/exporter/dist/main.js',
  'collab-nightly': 'apps/nightly/dist/main.js',
  'collab-mcp': 'apps/mcp/dist/main.js',
  'tap-collab': 'apps/extractor/dist/tap/main.js',
  'collab-sandbox': 'packages/sandbox/dist/main.js',
}

/** The name of a program. */
export type Command = keyof typeof MAIN

/** All programs. */
export const PROGRAMS = Object.keys(MAIN) as readonly Command[] // as they are written above

/** In the environment of a command in a host: what it starts by Node runs in a host as well. */
export const STEPS_IN_HOSTS = {
  TEST_NODE: join(import.meta.dirname, 'step-in-host.mjs'),
  TEST_COMMAND_HOSTS: process.env['COLLAB_TEST_COMMAND_HOSTS'] ?? '',
}

/**
 * Runs one of the commands to its end: in a process of its own where the options need one (`ownProcess`, `onStart`, `through`,
 * `measureMemory`, variables of Node) or no host is there, else in a host (`command-hosts.ts`).
 */
export async function run(command: Command, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const scratch = await mkdtemp(join(tmpdir(), 'collab-run-'))
  try {
    const hosts = process.env['COLLAB_TEST_COMMAND_HOSTS']
    if (hosts === undefined || needsProcess(options)) return await runProcess(command, args, options, scratch)
    const job: Job = {
      program: { command, main: MAIN[command] },
      args,
      cwd: options.cwd ?? scratch,
      env: { ...cleanEnvironment(), ...options.env },
    }
    return { ...(await runInHost(job, hosts)), peakMemory: 0 }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Runs a program in a process that has run others. */
export async function runInHost(job: Job, hosts: string): Promise<JobResult> {
  const socket = connect(hosts)
  socket.end(JSON.stringify(job))
  return (await json(socket)) as JobResult // sent by the server of `command-hosts.ts`
}

function needsProcess({ ownProcess, measureMemory, through, onStart, env = {} }: RunOptions): boolean {
  const isBound = ownProcess === true || measureMemory === true || through !== undefined || onStart !== undefined
  return isBound || Object.keys(env).some((name) => name.startsWith('NODE_'))
}

/** Runs a command as a user does, by its link in `node_modules/.bin`. */
async function runProcess(
  command: Command,
  args: readonly string[],
  options: RunOptions,
  scratch: string,
): Promise<Ran> {
  const peakFile = join(scratch, 'peak')
  const [program = '', ...words] = [...(options.through ?? []), join(BIN, command), ...args]
  const child = spawn(program, words, {
    cwd: options.cwd ?? scratch,
    env: {
      ...cleanEnvironment(),
      ...(options.measureMemory && {
        NODE_OPTIONS: `--import=${join(import.meta.dirname, 'peak-memory.mjs')}`,
        NODE_COMPILE_CACHE: '',
        COLLAB_TEST_PEAK_MEMORY_FILE: peakFile,
      }),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  if (child.pid !== undefined) options.onStart?.(child)
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (...ended) => resolve(ended))
  })
  const peakMemory = options.measureMemory ? Number(await readFile(peakFile, 'utf8')) : 0
  return { code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString(), peakMemory }
}

/** The environment without our own settings, with the repository's Node first on the path. */
export function cleanEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !/^(COLLAB_|DATABASE_URL$|NODE_OPTIONS$|VITEST|FORCE_COLOR$)/.test(name),
  )
  return {
    ...Object.fromEntries(kept),
    PATH: `${BIN}:${process.env['PATH'] ?? ''}`,
    ...(process.env['VITEST'] && { NODE_COMPILE_CACHE: COMPILED }),
  } as Record<string, string>
}

/** A new empty directory, removed with the test. */
export async function scratchDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'collab-test-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
