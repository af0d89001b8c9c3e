import { defineCommand, EXIT } from '@collab-etl/cli'
import { connectWarehouse } from '../connect/warehouse.ts'

export const init = defineCommand({
  command: 'init',
  describe: 'creates or migrates the schema and stops',
  examples: [
    ['init', 'in the embedded warehouse below ./collab-data'],
    ['init --schema nightly', 'in a schema of its own'],
  ],
  options: {},
  settings: ['warehouse'],
  async run({ settings, stdout }) {
    const warehouse = await connectWarehouse(settings)
    try {
      const { from, to } = await warehouse.migrate()
      const { location, schema } = warehouse
      stdout.document({ location, schema, from, to })
      stdout.line(
        `${from === to ? `The schema ${schema} is at version ${to} already` : done(schema, from, to)}: ${location}`,
      )
      return EXIT.ok
    } finally {
      await warehouse.close()
    }
  },
})

function done(schema: string, from: number, to: number): string {
  return from === 0
    ? `Made the schema ${schema}, version ${to}`
    : `Migrated the schema ${schema} from version ${from} to ${to}`
}
