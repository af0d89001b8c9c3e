import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import type { Bench } from '../bench.ts'
import { backup } from '../measured/exports.ts'
import { environment, firstSnapshot, initialise, profiled } from '../measured/snapshot.ts'
import { dropSchemas, SCHEMAS, settle } from '../postgres/database.ts'
import { startSource } from '../source/start-source.ts'

/** A warehouse from a backup of one large project, against the snapshot that it was made from. */
export const load: Bench = {
  figures: [
    {
      name: 'load-jsonl',
      what: 'load of a backup from JSON lines against the first snapshot of the same',
      unit: '×',
      limit: { atMost: 1.2 },
    },
  ],
  onPostgres: true,
  async *measure(context) {
    const { server, scratch, runs, sizes, profile, say } = context
    await using source = await startSource({ tasks: sizes.tasks })
    for (let number = 1; number <= runs; number++) {
      say(`run ${number} of ${runs}`)
      const first = await firstSnapshot(context, `load-first-${number}`, source)
      const out = join(scratch, 'load')
      const warehouse = { databaseUrl: server.url, dataDir: scratch, schema: SCHEMAS.tool }
      const { path } = await backup(out, { warehouse, format: 'jsonl' })
      const loaded = { ...warehouse, schema: SCHEMAS.floor }
      await initialise(loaded)
      await settle(server.url)
      const { code, stdout, stderr, peakMemory } = await run('collab-extract', ['load', path, '--json'], {
        measureMemory: true,
        env: {
          ...environment(loaded),
          COLLAB_LOG_LEVEL: 'warn',
          ...profiled(profile && join(profile, `load-${number}`)),
        },
      })
      if (code !== 0) throw new Error(`collab-extract load ended with ${code}: ${stderr}`)
      const { duration_ms: loadMs } = JSON.parse(stdout) as { duration_ms: number } // printed by `load --json` of this repository
      const parts = { loadMs, firstMs: first.durationMs, peakMB: peakMemory / 1e6, firstPeakMB: first.peakMemory / 1e6 }
      yield { figure: 'load-jsonl', value: loadMs / first.durationMs, parts }
      await rm(out, { recursive: true })
    }
    await dropSchemas(server.url)
  },
}
