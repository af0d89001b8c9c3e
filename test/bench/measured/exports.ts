import { run } from '@collab-etl/harness/commands'
import { environment, profiled, type Warehouse } from './snapshot.ts'

interface Measured {
  /** From the command's own report: all of its work, without the start of Node and the reading of settings. */
  readonly durationMs: number
  /** Of the whole process. */
  readonly processMs: number
  readonly peakMemory: number
}

export interface Backup extends Measured {
  /** Absolute. */
  readonly path: string
  /** Of the payload. */
  readonly files: number
  readonly bytes: number
}

export interface BackupOptions {
  readonly warehouse: Warehouse
  /** Where to leave a profile of the processor's time; left out: none is taken. */
  readonly profile?: string | undefined
}

/** Makes a backup as a user does, in a process of its own and with the command's defaults, and fails unless it is whole. */
export async function backup(directory: string, { warehouse, profile }: BackupOptions): Promise<Backup> {
  const args = ['backup', '--out', directory, '--from', 'warehouse', '--json']
  const { document, ...measured } = await measure(args, environment(warehouse), profile)
  // `backup --json` of this very workspace.
  const { backup: path, files, bytes, status } = document as { backup: string } & Backup & { status: string }
  if (status !== 'complete') throw new Error(`the backup of the bench's warehouse is ${status}`)
  return { ...measured, path, files, bytes }
}

/** Verifies every byte of a backup as a user does; fails unless it is whole. */
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
  // `--json` of this very workspace.
  const document = JSON.parse(ran.stdout) as { duration_ms: number }
  return { durationMs: document.duration_ms, processMs, peakMemory: ran.peakMemory, document }
}
