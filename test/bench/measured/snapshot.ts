import { run } from '@collab-etl/harness/commands'
import { TOKEN } from '../source/world.ts'

export interface Warehouse {
  /** Left out: the embedded one. */
  readonly databaseUrl?: string
  readonly dataDir: string
  readonly schema: string
}

export interface Snapshot {
  /** From the run's own report: connecting to the warehouse, reading, storing, until the run is recorded as finished. */
  readonly durationMs: number
  /** Of the whole process, start-up included. */
  readonly processMs: number
  readonly requests: number
  readonly bytes: number
  readonly peakMemory: number
  readonly rows: Readonly<Record<string, { read: number; inserted: number; updated: number; deleted: number }>>
}

export interface SnapshotOptions {
  readonly baseUrl: string
  readonly warehouse: Warehouse
  /** Requests under way at once. Default 8, as the tool's own. */
  readonly concurrency?: number
  /** Where to leave a profile of the processor's time; left out: none is taken. */
  readonly profile?: string | undefined
}

const PEAK_MEMORY = `--import=${import.meta.resolve('@collab-etl/harness/peak-memory.mjs')}`

/** Makes the schema, so that no snapshot is measured with that. */
export async function initialise(warehouse: Warehouse): Promise<void> {
  const { code, stderr } = await run('collab-extract', ['init'], { env: environment(warehouse) })
  if (code !== 0) throw new Error(`collab-extract init ended with ${code}: ${stderr}`)
}

/** Takes a snapshot as a user does, in a process of its own, and fails unless all of it was stored. */
export async function snapshot({ baseUrl, warehouse, concurrency = 8, profile }: SnapshotOptions): Promise<Snapshot> {
  const begun = performance.now()
  const { code, stdout, stderr, peakMemory } = await run(
    'collab-extract',
    ['snapshot', '--json', '--concurrency', String(concurrency)],
    {
      measureMemory: true,
      env: {
        ...environment(warehouse),
        COLLAB_BASE_URL: baseUrl,
        COLLAB_TOKEN: TOKEN,
        COLLAB_LOG_LEVEL: 'warn',
        ...profiled(profile),
      },
    },
  )
  const processMs = performance.now() - begun
  if (code !== 0) throw new Error(`collab-extract snapshot ended with ${code}: ${stderr}`)
  // `snapshot --json` of this very workspace.
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

/** What makes a command leave a profile of the processor's time in a folder, where one is wanted. */
export function profiled(folder: string | undefined): Record<string, string> {
  return folder === undefined ? {} : { NODE_OPTIONS: `${PEAK_MEMORY} --cpu-prof --cpu-prof-dir=${folder}` }
}

/** The settings of a warehouse, for a command. */
export function environment({ databaseUrl, dataDir, schema }: Warehouse): Record<string, string> {
  return {
    COLLAB_DATA_DIR: dataDir,
    COLLAB_SCHEMA: schema,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  }
}
