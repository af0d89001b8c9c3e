import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { exportMetrics } from '@collab-etl/observability'
import { night } from '../../../packages/observability/test/night-fixture.ts'

/** The metrics file after a partial night with at least one value of every metric, as the job writes it. */
export async function metricsText(): Promise<string> {
  await using scratch = await scratchDirectory()
  const file = join(scratch.path, 'collab.prom')
  const failures = await exportMetrics(
    { night: NIGHT, nights: [NIGHT] },
    { file, toCollector: false, version: '1.2.3' },
  )
  if (failures.length > 0) throw new Error(failures.join('; '))
  return await readFile(file, 'utf8')
}

/** A partial night with at least one value of every metric. */
const NIGHT = night({
  exit_code: 3,
  outcome: 'partial',
  drill: { started_at: '2026-01-01T02:30:00Z', duration_ms: 1, source: 'x', project: null, problem: null, notes: [] },
})
