import { CliError, type Context, defineCommand, EXIT, plainText } from '@collab-etl/cli'
import { isWarehouseError, type Warehouse } from '@collab-etl/warehouse'
import { MISSING_ADVICE, missingText } from '../check/check-warehouse.ts'
import { createWarehouse } from '../warehouse.ts'
import { SUMMARIES } from './summaries.ts'

const INCOMPLETE = { exitCode: EXIT.damage, code: 'INCOMPLETE_SCHEMA' }

export const init = defineCommand({
  ...SUMMARIES.init,
  examples: [
    ['init', 'in the embedded warehouse below ./collab-data'],
    ['init --schema nightly', 'in a schema of its own'],
    ['init --grant-read analyst --grant-read reports', 'also lets these roles read it, and nothing else'],
  ],
  options: {
    'grant-read': {
      type: 'string',
      array: true,
      coerce: (roles: string[]) => [...new Set(roles)],
      describe: 'ROLE…  lets a role of the database read the schema and its history, and later tables; repeatable',
    },
  },
  settings: ['warehouse'],
  async run(context, { 'grant-read': readers = [] }) {
    const { stdout, log } = context
    await using warehouse = await createWarehouse(context)
    await warehouse.admin.requireRoles(readers)
    const { from, to } = await warehouse.admin.migrate()
    if (warehouse.kind === 'postgres') await createQueue(warehouse, log)
    const { location, schema } = warehouse
    const missing = await warehouse.admin.missingObjects()
    if (missing.length > 0) throw new CliError(missingMessage(schema, missing), INCOMPLETE)
    const unset: string[] = []
    for (const role of readers) {
      const { searchPath } = await warehouse.admin.grantRead(role)
      if (!searchPath) unset.push(role)
    }
    stdout.document({ location, schema, from, to, readers })
    stdout.line(
      `${from === to ? `The schema ${schema} is already at version ${to}` : done(schema, from, to)}: ${location}`,
    )
    for (const role of readers) {
      const names = unset.includes(role) ? `. Its search_path was not set: write ${schema}.tasks, not tasks` : ''
      stdout.line(`The role ${plainText(role)} may read it${names}`)
    }
    return EXIT.ok
  },
})

/** Creates the queue of runs with workers. Only warns if the role may not create schemas: it can do everything else. */
async function createQueue(warehouse: Warehouse, log: Context['log']): Promise<void> {
  try {
    await warehouse.runs.queue.migrate()
  } catch (error) {
    if (!isWarehouseError(error, 'DENIED')) throw error
    log.warn(
      `the queue for snapshot --workers could not be created: ${error.message}. To use workers, run init as a role that may create schemas`,
    )
  }
}

function missingMessage(schema: string, missing: readonly string[]): string {
  return plainText(`${missingText(schema, missing)}. ${MISSING_ADVICE}`)
}

function done(schema: string, from: number, to: number): string {
  return from === 0
    ? `Created the schema ${schema}, version ${to}`
    : `Migrated the schema ${schema} from version ${from} to ${to}`
}
