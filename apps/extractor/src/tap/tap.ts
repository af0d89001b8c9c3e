import { defineCommand, EXIT } from '@collab-etl/cli'
import { connectWarehouse } from '../warehouse.ts'
import { discover, everything, selectedIn } from './catalog.ts'
import { readJsonObject } from './json-file.ts'
import { State } from './state.ts'
import { sync } from './sync.ts'

export const tap = defineCommand({
  command: '$0',
  describe: 'writes SCHEMA, RECORD and STATE messages, or with --discover the catalog, to stdout',
  examples: [
    ['--config config.json --discover > catalog.json', 'the streams and fields that can be selected'],
    ['--config config.json | target', 'all streams, from the beginning'],
    ['--config config.json --catalog catalog.json --state state.json | target', 'what changed in the selected ones'],
  ],
  options: {
    config: {
      type: 'string',
      demandOption: true,
      describe: 'FILE  JSON object that names the warehouse: database_url or data_dir, schema',
    },
    discover: { type: 'boolean', describe: 'prints the catalog and ends' },
    catalog: { type: 'string', describe: 'FILE  catalog that selects streams and fields [default: all]' },
    state: { type: 'string', describe: 'FILE  value of the last STATE message [default: sends all records]' },
  },
  settings: ['warehouse'],
  json: 'nothing',
  onInterrupt: null,
  async run(context, { catalog, state, discover: isDiscovery }) {
    const { settings, stdout } = context
    // wrong files are reported before the warehouse is opened
    const selected =
      catalog === undefined ? everything() : selectedIn(await readJsonObject(catalog, 'catalog'), catalog)
    const from = new State(state === undefined ? {} : await readJsonObject(state, 'state'), state ?? '')
    await using warehouse = await connectWarehouse(settings, context.signal)
    if (isDiscovery === true) {
      await warehouse.rows.feedState() // a config file that is wrong is noticed now
      await stdout.write(`${JSON.stringify(discover(settings.schema), null, 2)}\n`)
      return EXIT.ok
    }
    if (selected.length === 0) context.log.warn('the catalog selects no stream: set "selected" in its metadata')
    const startDate = settings.file['start_date']
    await sync(context, warehouse, { selected, state: from, startDate: startDate instanceof Date ? startDate : null })
    return EXIT.ok
  },
})
