import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { CliError, defineCommand, EXIT, UsageError } from '@collab-etl/cli'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createServer } from './server/server.ts'

/** Long enough for a question, short enough for a conversation. */
const QUERY_SECONDS = 30

export const serve = defineCommand({
  command: '$0',
  describe: 'serves the Model Context Protocol on stdin and stdout until stdin ends',
  examples: [
    ['', 'the warehouse of DATABASE_URL, else the embedded one in ./collab-data'],
    ['--data-dir /var/lib/collab', 'an embedded warehouse'],
    ['--backup /var/backups/collab', 'the latest backup, without SQL'],
  ],
  options: {
    backup: {
      type: 'string',
      describe: 'DIR  reads a backup, or the latest of a directory of backups, in place of the warehouse',
    },
    'query-timeout': {
      type: 'number',
      default: QUERY_SECONDS,
      describe: 'SECONDS  cancels a statement of the tool sql after this time',
    },
  },
  settings: ['warehouse'],
  json: 'nothing',
  onInterrupt: null,
  check({ 'query-timeout': seconds }) {
    if (!(seconds > 0)) throw new UsageError('--query-timeout must be above 0')
  },
  async run(context, { backup, 'query-timeout': seconds }) {
    const { version, log, settings } = context
    await using source =
      backup === undefined
        ? await (await import('./source/warehouse-source.ts')).openWarehouseSource(settings, seconds)
        : await (await import('./backup/backup-source.ts')).openBackupSource(backup)
    const { server, idle } = createServer({ version, log, databaseUrl: settings.databaseUrl }, source)
    const closed = new Promise<void>((resolve) => {
      server.onclose = resolve
    })
    const { stdin } = process
    const ended = once(stdin, 'end')
    await server.connect(new StdioServerTransport())
    log.debug({ source: source.kind }, 'serving')
    const interrupted = new Promise<void>((resolve) =>
      context.signal.addEventListener('abort', () => resolve(), { once: true }),
    )
    const how = await Promise.race([
      ended.then(() => 'ended' as const),
      closed.then(() => 'closed' as const),
      context.signal.aborted ? 'interrupted' : interrupted.then(() => 'interrupted' as const),
    ])
    // Calls that arrived before the end are answered: `printf … | collab-mcp`.
    if (how === 'ended') {
      await setImmediate()
      await idle()
      await setImmediate()
    }
    await server.close()
    stdin.destroy()
    context.signal.throwIfAborted()
    if (how === 'closed')
      throw new CliError('the connection was closed: a message on stdin was larger than 10 MB', { code: 'PROTOCOL' })
    return EXIT.ok
  },
})
