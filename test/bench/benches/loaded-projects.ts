import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { copyRows, dumpRows, type RowFiles } from '../measured/floor.ts'
import { initialise, snapshot } from '../measured/snapshot.ts'
import { dropSchemas, SCHEMAS, settle } from '../postgres/database.ts'
import { startSource } from '../source/start-source.ts'

/** As many tasks as in `loading`, in many projects: each project is published by itself. */
export const loadedProjects: Bench = {
  figures: [
    {
      name: 'copy-projects',
      what: 'first snapshot of 100 projects of 1,000 tasks against psql \\copy of its rows',
      unit: '×',
      limit: { atMost: 1.5 },
    },
  ],
  onPostgres: true,
  async *measure({ server, scratch, runs, sizes, profile, say }) {
    const { loadedProjects: projects, tasksPerLoadedProject: tasks } = sizes
    await using source = await startSource({ projects, tasks })
    const warehouse = { databaseUrl: server.url, dataDir: scratch, schema: SCHEMAS.tool }
    let files: RowFiles | undefined
    for (let number = 1; number <= runs; number++) {
      await dropSchemas(server.url)
      await initialise(warehouse)
      await settle(server.url)
      say(`run ${number} of ${runs}: snapshot of ${projects} projects of ${tasks} tasks`)
      const folder = profile === undefined ? undefined : join(profile, `copy-projects-${number}`)
      const { durationMs, processMs, peakMemory } = await snapshot({
        baseUrl: source.baseUrl,
        warehouse,
        profile: folder,
      })
      files ??= await dumpRows(server.url, scratch)
      await initialise({ ...warehouse, schema: SCHEMAS.floor })
      await settle(server.url)
      const copyMs = await copyRows(server.url, files)
      const parts = { durationMs, processMs, peakMB: peakMemory / 1e6, copyMs }
      yield { figure: 'copy-projects', value: durationMs / copyMs, parts }
    }
    await dropSchemas(server.url)
  },
}
