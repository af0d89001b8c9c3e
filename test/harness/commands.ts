import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const BIN = join(ROOT, 'node_modules/.bin')

/** What Node compiled of the commands: tests start them by the hundred, each a tenth of a second sooner with it. */
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
  /** Words before the command: what starts it under other conditions (`prlimit --nofile=40`). It must keep its process id. */
  readonly through?: readonly string[]
  /** Called once the command runs; not for one that could not be started. */
  readonly onStart?: (command: Started) => void
}

/** A command that was started; to one that has ended, whether or not that was told yet, `kill` sends nothing. */
export type Started = Pick<ChildProcess, 'kill'>

export type Command = 'collab-extract' | 'collab-export' | 'collab-sandbox' | 'collab-nightly'

/** Runs one of the commands as a user does, by its link in `node_modules/.bin`, to its end. */
export async function run(command: Command, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const scratch = await mkdtemp(join(tmpdir(), 'collab-run-'))
  const peakFile = join(scratch, 'peak')
  try {
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
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The environment without settings of ours, with the workspace's Node first on the path. Benches measure commands as users have them. */
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

/** A new empty directory that goes when the test does. */
export async function scratchDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'collab-test-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
