import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment } from '@collab-etl/harness/commands'
import { environment, type Warehouse } from './snapshot.ts'

export interface Sync {
  /** Of the whole process, including start-up, until its reader has everything. */
  readonly durationMs: number
  readonly records: number
  readonly peakMemory: number
}

const PEAK_MEMORY = `--import=${import.meta.resolve('@collab-etl/harness/peak-memory.mjs')}`

/** Runs `tap-collab` without a state into a pipe whose reader counts the records, and fails unless it succeeded. */
export async function firstSync(warehouse: Warehouse, scratch: string): Promise<Sync> {
  const [config, peak] = [join(scratch, 'tap.json'), join(scratch, 'tap.peak')]
  await writeFile(config, '{}')
  const begun = performance.now()
  // the settings of Node are the tap's alone
  const script = `NODE_OPTIONS='${PEAK_MEMORY}' tap-collab --config "$1" --log-level warn | LC_ALL=C grep -c '^{"type":"RECORD"'`
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script, 'bash', config], {
    env: { ...cleanEnvironment(), ...environment(warehouse), COLLAB_TEST_PEAK_MEMORY_FILE: peak },
  })
  const durationMs = performance.now() - begun
  return { durationMs, records: Number(stdout), peakMemory: Number(await readFile(peak, 'utf8')) }
}
