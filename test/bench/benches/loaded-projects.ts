import type { Bench } from '../bench.ts'
import { copyRows, dumpRows, type RowFiles } from '../measured/floor.ts'
import { firstSnapshot, initialise } from '../measured/snapshot.ts'
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
  async *measure(context) {
    const { server, scratch, runs, sizes, say } = context
    const { loadedProjects: projects, tasksPerLoadedProject: tasks } = sizes
    await using source = await startSource({ projects, tasks })
    let files: RowFiles | undefined
    for (let number = 1; number <= runs; number++) {
      say(`run ${number} of ${runs}: snapshot of ${projects} projects of ${tasks} tasks`)
      const { baseUrl } = source
      const { durationMs, processMs, peakMemory } = await firstSnapshot(context, `copy-projects-${number}`, { baseUrl })
      files ??= await dumpRows(server.url, scratch)
      await initialise({ databaseUrl: server.url, dataDir: scratch, schema: SCHEMAS.floor })
      await settle(server.url)
      const copyMs = await copyRows(server.url, files)
      const parts = { durationMs, processMs, peakMB: peakMemory / 1e6, copyMs }
      yield { figure: 'copy-projects', value: durationMs / copyMs, parts }
    }
    await dropSchemas(server.url)
  },
}
