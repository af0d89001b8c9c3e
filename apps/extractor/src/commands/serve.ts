import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { defineCommand, EXIT, UsageError } from '@collab-etl/cli'
import { serveEmbedded } from '@collab-etl/warehouse'

/** Where the password may come from; a flag would show in the list of processes. */
const PASSWORD = 'COLLAB_SERVE_PASSWORD'

export const serve = defineCommand({
  command: 'serve',
  describe:
    'opens the embedded warehouse to psql and other clients of Postgres on this machine, read-only, until Ctrl-C',
  examples: [
    ['serve', 'prints the address with a new password'],
    ['serve --port 5433', 'the same port every time; COLLAB_SERVE_PASSWORD sets the password'],
    ['serve --json', 'for scripts: {"url", "host", "port", "user", "database", "password"}'],
  ],
  options: {
    port: { type: 'number', default: 0, describe: 'N  port on 127.0.0.1; 0: one that is free' },
    sessions: { type: 'number', default: 4, describe: 'N  clients that are served at once, 1 to 16' },
  },
  settings: ['warehouse'],
  onInterrupt: null,
  check({ port, sessions }) {
    if (!Number.isInteger(sessions) || sessions < 1 || sessions > 16)
      throw new UsageError('--sessions must be a number from 1 to 16')
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new UsageError('--port must be a number from 0 to 65535')
  },
  async run({ settings, stdout, log, signal }, { port, sessions }) {
    if (settings.databaseUrl !== undefined) {
      throw new UsageError(
        'serve is for the embedded warehouse: a Postgres one is opened by its own address; unset DATABASE_URL',
      )
    }
    const given = process.env[PASSWORD]
    if (given !== undefined && !/^[\w-]{8,100}$/.test(given)) {
      throw new UsageError(`${PASSWORD} must have 8 to 100 letters, digits, - or _`)
    }
    const password = given ?? randomBytes(18).toString('base64url')
    const { dataDir, schema } = settings
    await using served = await serveEmbedded({ dataDir, schema, port, password, sessions })
    const { user, database } = served
    const url = `postgres://${user}@127.0.0.1:${served.port}/${database}`
    stdout.document({
      ...{ url, host: '127.0.0.1', port: served.port, user, database },
      ...(given === undefined && { password }),
    })
    stdout.line(`Serving the warehouse in ${dataDir}, read-only, to ${clients(sessions)} at a time:`)
    // in a command line, others would see the password
    stdout.line(`PGPASSWORD=${given === undefined ? password : `$${PASSWORD}`} psql ${url}`)
    log.info('Ctrl-C ends it. Until then, runs are refused: the warehouse is locked')
    const ended = signal.aborted ? Promise.resolve() : once(signal, 'abort')
    await Promise.race([ended, served.failed])
    return EXIT.ok
  },
})

function clients(count: number): string {
  return count === 1 ? 'one client' : `${count} clients`
}
