import { run } from '@collab-etl/harness/commands'
import { environment, profiled, type Warehouse } from './snapshot.ts'

interface Measured {
  /** Duration reported by the command, without the start of Node and reading settings. */
  readonly durationMs: number
  /** Processor time of the whole process. */
  readonly processMs: number
  readonly peakMemory: number
}

export interface Backup extends Measured {
  /** Absolute path. */
  readonly path: string
  /** Size of the payload. */
  readonly files: number
  readonly bytes: number
}

export interface BackupOptions {
  readonly warehouse: Warehouse
  /** Default: the formats that the command writes by default. */
  readonly format?: 'html' | 'jsonl' | 'markdown,csv,html,jsonl' | undefined
  /** Directory for a CPU profile. Default: none. */
  readonly profile?: string | undefined
}

/** Runs a backup in a process with default options, and fails unless it is complete. */
export async function backup(directory: string, { warehouse, format, profile }: BackupOptions): Promise<Backup> {
  const args = [
    'backup',
    '--out',
    directory,
    '--from',
    'warehouse',
    '--json',
    ...(format === undefined ? [] : ['--format', format]),
  ]
  const { document, ...measured } = await measure(args, environment(warehouse), profile)
  // printed by `backup --json` of this repository
  const { backup: path, files, bytes, status } = document as { backup: string } & Backup & { status: string }
  if (status !== 'complete') throw new Error(`the backup of the bench's warehouse is ${status}`)
  return { ...measured, path, files, bytes }
}

/** Verifies a backup completely; fails if it is damaged. */
export async function verify(path: string, profile?: string): Promise<Measured> {
  const { document: _report, ...measured } = await measure(['verify', path, '--json'], {}, profile)
  return measured
}

async function measure(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  profile: string | undefined,
): Promise<Measured & { document: unknown }> {
  const begun = performance.now()
  const ran = await run('collab-export', args, {
    measureMemory: true,
    env: { ...env, COLLAB_LOG_LEVEL: 'warn', ...profiled(profile) },
  })
  const processMs = performance.now() - begun
  if (ran.code !== 0) throw new Error(`collab-export ${args[0]} ended with ${ran.code}: ${ran.stderr}`)
  // printed by `--json` of this repository
  const document = JSON.parse(ran.stdout) as { duration_ms: number }
  return { durationMs: document.duration_ms, processMs, peakMemory: ran.peakMemory, document }
}
