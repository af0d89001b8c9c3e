import { type Context, defineCommand, EXIT, formatBytes, formatTable } from '@collab-etl/cli'
import type { SearchIndex, SearchIndexChange, SearchIndexes } from '@collab-etl/warehouse'
import { connectWarehouse } from '../warehouse.ts'

/** How often the progress is logged. */
const PROGRESS_MS = 15_000

export const searchIndex = defineCommand({
  command: 'search-index <action>',
  describe: 'creates, drops or shows the indexes that speed up the search of collab-mcp',
  examples: [
    ['search-index create', 'on Postgres also during a snapshot; takes minutes for millions of tasks'],
    ['search-index status', 'lists the indexes with their states and sizes'],
    ['search-index drop', 'removes them; searches find the same, but take longer'],
  ],
  options: {
    action: {
      choices: ['create', 'drop', 'status'] as const,
      demandOption: true,
      describe:
        'create: adds missing indexes and replaces invalid and outdated ones; drop: removes all; status: lists them',
    },
  },
  settings: ['warehouse'],
  onInterrupt: 'an incomplete index is not used; search-index create replaces it',
  async run({ settings, stdout, log, signal }, { action }) {
    const warehouse = await connectWarehouse(settings)
    try {
      const indexes = await warehouse.searchIndexes()
      const done: SearchIndexChange[] = []
      const report = (index: SearchIndexChange) => {
        done.push(index)
        signal.throwIfAborted()
        log.info(`${index.name}: ${index.change === 'kept' ? `${index.state} already` : index.change}`)
      }
      if (action === 'create') await creating(indexes, () => indexes.create(report), { log, signal })
      if (action === 'drop') await indexes.drop(report)
      const listed = await indexes.list()
      stdout.document({ action, indexes: action === 'status' ? listed : done })
      stdout.line(showIndexes(listed, stdout.columns))
      return EXIT.ok
    } finally {
      await warehouse.close()
    }
  },
})

/** Logs the progress. An interruption cancels the statement, which the server would otherwise continue without this program. */
async function creating(
  indexes: SearchIndexes,
  create: () => Promise<void>,
  { log, signal }: Pick<Context, 'log' | 'signal'>,
): Promise<void> {
  const cancel = () => void indexes.cancel().catch(() => {})
  const show = async () => {
    const progress = await indexes.progress()
    if (progress !== null) log.info(`${progress.name}: ${Math.floor(100 * progress.share)} % of the table`)
  }
  const timer = setInterval(() => void show().catch(() => {}), PROGRESS_MS)
  signal.addEventListener('abort', cancel)
  try {
    await create()
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    clearInterval(timer)
    signal.removeEventListener('abort', cancel)
  }
}

function showIndexes(indexes: readonly SearchIndex[], width: number | undefined): string {
  const rows = indexes.map(({ name, table, state, bytes }) => [
    name,
    table,
    state,
    bytes === 0 ? '' : formatBytes(bytes),
  ])
  const columns = [
    { header: 'index', isWhole: true },
    { header: 'table' },
    { header: 'state', isWhole: true },
    { header: 'size' },
  ]
  return formatTable(columns, rows, width === undefined ? {} : { width })
}
