import { type Context, defineCommand, EXIT, formatBytes, formatTable } from '@collab-etl/cli'
import type { SearchIndex, SearchIndexChange, SearchIndexes } from '@collab-etl/warehouse'
import { connectWarehouse } from '../warehouse.ts'

/** How often the progress is logged. */
const PROGRESS_MS = 15_000

export const searchIndex = defineCommand({
  command: 'search-index <action>',
  describe: 'creates, drops or shows the indexes that speed up the search of collab-mcp',
  examples: [
    ['search-index create', 'beside a running snapshot too; minutes for millions of tasks'],
    ['search-index status', 'which there are, and their sizes'],
    ['search-index drop', 'the search works without them'],
  ],
  options: {
    action: {
      choices: ['create', 'drop', 'status'] as const,
      demandOption: true,
      describe: 'create: those that are missing or invalid',
    },
  },
  settings: ['warehouse'],
  onInterrupt: 'an index that is not complete is not used, and the next search-index create replaces it',
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

/** Logs the progress meanwhile, and has the server end what is interrupted: it would continue without this program. */
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
