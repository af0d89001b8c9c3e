import { join } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import type { BenchContext } from '../bench.ts'
import { dropSchemas, SCHEMAS, settle } from '../postgres/database.ts'
import { TOKEN } from '../source/world.ts'

export interface Warehouse {
  /** Default: the embedded warehouse. */
  readonly databaseUrl?: string
  readonly dataDir: string
  readonly schema: string
}

export interface Snapshot {
  /** Duration reported by the run: from connecting to the warehouse until the run is recorded as finished. */
  readonly durationMs: number
  /** Of the whole process, including start-up. */
  readonly processMs: number
  readonly requests: number
  readonly bytes: number
  readonly peakMemory: number
  readonly rows: Readonly<Record<string, { read: number; inserted: number; updated: number; deleted: number }>>
}

export interface SnapshotOptions {
  readonly baseUrl: string
  readonly warehouse: Warehouse
  /** Parallel requests. Default 8, like the command. */
  readonly concurrency?: number
  /** Worker processes. Default: one process reads everything. */
  readonly workers?: number | undefined
  /** Directory for a CPU profile. Default: none. */
  readonly profile?: string | undefined
}

const PEAK_MEMORY = `--import=${import.meta.resolve('@collab-etl/harness/peak-memory.mjs')}`

/** Creates the schema, so that it is not part of a measurement. */
export async function initialise(warehouse: Warehouse): Promise<void> {
  const { code, stderr } = await run('collab-extract', ['init'], { env: environment(warehouse) })
  if (code !== 0) throw new Error(`collab-extract init ended with ${code}: ${stderr}`)
}

/** Runs a snapshot in a process, and fails unless it succeeded. */
export async function snapshot({
  baseUrl,
  warehouse,
  concurrency = 8,
  workers,
  profile,
}: SnapshotOptions): Promise<Snapshot> {
  const begun = performance.now()
  const shared = workers === undefined ? [] : ['--workers', String(workers)]
  const flags = ['--json', '--concurrency', String(concurrency), ...shared]
  const { code, stdout, stderr, peakMemory } = await run('collab-extract', ['snapshot', ...flags], {
    measureMemory: true,
    env: {
      ...environment(warehouse),
      COLLAB_BASE_URL: baseUrl,
      COLLAB_TOKEN: TOKEN,
      COLLAB_LOG_LEVEL: 'warn',
      ...profiled(profile),
    },
  })
  const processMs = performance.now() - begun
  if (code !== 0) throw new Error(`collab-extract snapshot ended with ${code}: ${stderr}`)
  // printed by `snapshot --json` of this repository
  const document = JSON.parse(stdout) as {
    requests: number
    bytes: number
    duration_ms: number
    losses: number
    rows: Snapshot['rows']
  }
  const { requests, bytes, duration_ms: durationMs, losses, rows } = document
  if (losses > 0) throw new Error(`${losses} values of the bench's service were not as the service sends them`)
  return { durationMs, processMs, requests, bytes, peakMemory, rows }
}

/** A snapshot into an empty warehouse on the server of the bench; its profile has the label as name. */
export async function firstSnapshot(
  { server, scratch, profile }: BenchContext,
  label: string,
  options: Pick<SnapshotOptions, 'baseUrl' | 'concurrency' | 'workers'>,
): Promise<Snapshot> {
  const warehouse = { databaseUrl: server.url, dataDir: scratch, schema: SCHEMAS.tool }
  await dropSchemas(server.url)
  await initialise(warehouse)
  await settle(server.url)
  return snapshot({ ...options, warehouse, profile: profile === undefined ? undefined : join(profile, label) })
}

/** Options of Node that write a CPU profile to a directory, if requested. */
export function profiled(folder: string | undefined): Record<string, string> {
  return folder === undefined ? {} : { NODE_OPTIONS: `${PEAK_MEMORY} --cpu-prof --cpu-prof-dir=${folder}` }
}

/** Environment of a command for a warehouse. */
export function environment({ databaseUrl, dataDir, schema }: Warehouse): Record<string, string> {
  return {
    COLLAB_DATA_DIR: dataDir,
    COLLAB_SCHEMA: schema,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  }
}
