import type { Bench } from '../bench.ts'
import { initialise, snapshot, type Warehouse } from '../measured/snapshot.ts'
import { firstSync } from '../measured/tap.ts'
import { dropSchemas, SCHEMAS, settle } from '../postgres/database.ts'
import { startSource } from '../source/start-source.ts'

/** Rows of the run log that it writes too: the run, its account, and the project that the account lists. */
const LOGGED = 3

/** All records of a warehouse for a target that does nothing with them. */
export const tap: Bench = {
  figures: [
    {
      name: 'tap',
      what: 'tap-collab: first sync of 100,000 tasks with their lists, into a pipe',
      unit: 'records/s',
      limit: { atLeast: 50_000 },
    },
  ],
  onPostgres: true,
  async *measure({ server, scratch, runs, sizes, say }) {
    const warehouse = { databaseUrl: server.url, dataDir: scratch, schema: SCHEMAS.tool }
    await dropSchemas(server.url)
    await initialise(warehouse)
    say(`tap: snapshot of ${sizes.tasks} tasks`)
    const stored = await storedRows(warehouse, sizes.tasks)
    for (let number = 1; number <= runs; number++) {
      await settle(server.url)
      say(`run ${number} of ${runs}: tap`)
      const { durationMs, records, peakMemory } = await firstSync(warehouse, scratch)
      if (records !== stored + LOGGED)
        throw new Error(`tap-collab wrote ${records} records of ${stored} rows and ${LOGGED} of the run log`)
      const parts = { durationMs, records, peakMB: peakMemory / 1e6 }
      yield { figure: 'tap', value: (records / durationMs) * 1000, parts }
    }
    await dropSchemas(server.url)
  },
}

/** Takes a snapshot; returns the number of rows that it stored. */
async function storedRows(warehouse: Warehouse, tasks: number): Promise<number> {
  await using source = await startSource({ tasks })
  const { rows } = await snapshot({ baseUrl: source.baseUrl, warehouse })
  return Object.values(rows).reduce((sum, { inserted }) => sum + inserted, 0)
}
