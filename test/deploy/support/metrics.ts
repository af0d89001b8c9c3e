import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { exportMetrics, type Night, type Step } from '@collab-etl/observability'

/** The metrics file after a partial night in which something of everything happened, as the job writes it. */
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

const step = (name: string, of: Partial<Step> = {}): Step => ({
  ...{ name, status: 'ok', exit_code: 0, started_at: '2026-02-03T02:30:00.000Z', duration_ms: 1000, reason: null },
  ...of,
})

const NIGHT: Night = {
  ...{ started_at: '2026-02-03T02:30:00.000Z', finished_at: '2026-02-03T02:40:00.000Z', duration_ms: 600_000 },
  ...{ exit_code: 3, outcome: 'partial', host: 'etl-1', tool_version: '1.2.3', base_url: 'https://collab.example.com' },
  steps: [step('snapshot', { status: 'partial', exit_code: 3 }), step('backup'), step('verify')],
  snapshot: {
    ...{ run_id: 'R1', status: 'partial', duration_ms: 500_000, requests: 120, retries: 2, bytes: 4096 },
    projects: { total: 2, complete: 1 },
    rows: { tasks: { read: 10, inserted: 1, updated: 2, deleted: 3 } },
    scopes: { tasks: { complete: 2 }, events: { complete: 1, failed: 1 } },
    losses: { 'U+0000 removed': 4 },
    not_whole: [],
  },
  backup: {
    ...{ name: '20260203T023900Z', path: '/b/20260203T023900Z', status: 'partial', files: 9 },
    ...{ bytes: 5000, new_bytes: 100, conversion_issues: 1 },
  },
  verification: { backup: '20260203T023900Z', mode: 'full', damaged: 0 },
  ...{ consecutive_failures: 1, failing_since: '2026-02-03T02:30:00.000Z', last_whole_at: '2026-02-02T02:30:00.000Z' },
}
