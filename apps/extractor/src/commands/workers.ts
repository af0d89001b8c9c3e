import { defineCommand, EXIT, formatTable, plainText } from '@collab-etl/cli'
import { HEARTBEAT_SECONDS, type WorkerRow } from '@collab-etl/warehouse'
import { connectWarehouse, requirePostgres } from '../warehouse.ts'
import { SUMMARIES } from './summaries.ts'

export const workers = defineCommand({
  ...SUMMARIES.workers,
  examples: [
    ['workers', 'the workers, and the projects that they are reading'],
    ['workers --json', 'the same, for scripts'],
  ],
  options: {},
  settings: ['warehouse'],
  async run({ settings, stdout }) {
    requirePostgres(settings)
    await using warehouse = await connectWarehouse(settings)
    const rows = await warehouse.runs.queue.workers()
    stdout.document({ workers: rows })
    stdout.line(showWorkers(rows, stdout.columns))
    return EXIT.ok
  },
})

function showWorkers(rows: readonly WorkerRow[], width: number | undefined): string {
  if (rows.length === 0) return 'No workers: start one with collab-extract worker.'
  return formatTable(
    [
      ...[{ header: 'worker', isWhole: true }, { header: 'state', isWhole: true }, { header: 'run' }],
      ...[{ header: 'started', isOptional: true }, { header: 'reads' }],
    ],
    rows.map((row) => [plainText(row.worker), stateOf(row), row.run_id ?? '', row.started_at, projectsOf(row)]),
    { width },
  )
}

function stateOf({ silent_seconds: silent, run_id: runId, lacks }: WorkerRow): string {
  // others read its projects then
  if (silent > HEARTBEAT_SECONDS) return `silent for ${silent} s`
  const without = Object.keys(lacks).join(', ')
  return runId === null ? 'waits for a run' : `reads${without && ` without ${without}`}`
}

function projectsOf({ projects }: WorkerRow): string {
  return projects.map(({ pid, since }) => plainText(`${pid} since ${since.slice(11, 19)}`)).join(', ')
}
