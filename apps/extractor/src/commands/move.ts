import { databaseAddress, defineCommand, EXIT, formatBytes, type Secret, UsageError } from '@collab-etl/cli'
import { moveWarehouse } from '@collab-etl/warehouse/move'
import { moveSummary } from '../move/summary.ts'
import { warehouseOf } from '../warehouse.ts'
import { SUMMARIES } from './summaries.ts'

export const move = defineCommand({
  ...SUMMARIES.move,
  examples: [
    ['move --to postgres://etl@db.example.com/etl', 'from ./collab-data, or the Postgres of DATABASE_URL'],
    ['move --to service=new --to-schema archive', 'a service of ~/.pg_service.conf, and another schema there'],
    ['move --to postgres://etl@db2.example.com/etl --again', 'a warehouse that was moved before'],
  ],
  options: {
    to: {
      type: 'string',
      demandOption: true,
      coerce: parseTarget,
      describe:
        'URL  Postgres database that gets the warehouse, in an empty schema; its password belongs in ~/.pgpass or PGPASSWORD, as flags are visible in the process list',
    },
    'to-schema': { type: 'string', describe: 'NAME  schema there [default: the same name]' },
    again: {
      type: 'boolean',
      describe: 'also moves a warehouse that was moved before, such as to a database that is lost',
    },
  },
  settings: ['warehouse'],
  onInterrupt: 'nothing is kept in the new database, and the old warehouse stays in use',
  async run({ settings, stdout, signal, progress }, { to, 'to-schema': toSchema, again = false }) {
    const begun = performance.now()
    const schema = toSchema ?? settings.schema
    const line = progress.line('opening both databases')
    try {
      const moved = await moveWarehouse({
        source: warehouseOf(settings),
        target: { databaseUrl: to.reveal(), schema },
        again,
        signal,
        onMoved: ({ table, done, total, bytes, isCompared }) =>
          line.update(() => ({
            text: `${isCompared ? 'comparing' : 'copying'} ${table}, ${formatBytes(bytes)}`,
            done,
            total,
          })),
      })
      const durationMs = performance.now() - begun
      const schemas = { from_schema: settings.schema, to_schema: schema }
      const { from, to: location, tables, leftBehind } = moved
      stdout.document({
        from,
        to: location,
        ...schemas,
        tables: tables.map(({ isHistory, ...table }) => ({ ...table, history: isHistory })),
        left_behind: leftBehind,
        duration_ms: Math.round(durationMs),
      })
      line.end()
      stdout.line(moveSummary(moved, { schema, durationMs, width: stdout.columns }))
      return EXIT.ok
    } finally {
      line.end()
    }
  },
})

function parseTarget(text: string): Secret {
  try {
    return databaseAddress(text)
  } catch (error) {
    throw new UsageError(`--to ${error instanceof Error ? error.message : String(error)}`)
  }
}
