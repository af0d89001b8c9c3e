import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { run } from '@collab-etl/harness/commands'
import { freshDatabase } from '@collab-etl/harness/postgres'
import type { Bench, Measured } from '../bench.ts'
import { environment, firstSnapshot, snapshot, type Warehouse } from '../measured/snapshot.ts'
import { dropSchemas, SCHEMAS, settle } from '../postgres/database.ts'
import { startSource } from '../source/start-source.ts'

/** A warehouse of one large project, moved to another database of the same server. */
export const move: Bench = {
  figures: [
    {
      name: 'move',
      what: 'move from Postgres to Postgres against pg_dump and psql of the same rows',
      unit: '×',
      limit: { atMost: 1.5 },
    },
    { name: 'move-embedded', what: 'move of an embedded warehouse to Postgres', unit: 's', limit: { atMost: 60 } },
  ],
  onPostgres: true,
  async *measure(context) {
    const { server, scratch, runs, sizes, wanted, say } = context
    await using source = await startSource({ tasks: sizes.tasks })
    for (let number = 1; number <= runs; number++) {
      say(`run ${number} of ${runs}`)
      if (wanted.has('move')) {
        await firstSnapshot(context, `move-${number}`, source)
        await settle(server.url)
        const dumpMs = await inDatabase(server.url, (url) => dumped(server.url, url))
        await settle(server.url)
        const warehouse = { databaseUrl: server.url, dataDir: scratch, schema: SCHEMAS.tool }
        const moved = await inDatabase(server.url, (url) => movedTo(url, warehouse))
        yield { figure: 'move', value: moved.moveMs / dumpMs, parts: { ...moved, dumpMs } }
      }
      if (wanted.has('move-embedded')) {
        const dataDir = join(scratch, 'move-embedded')
        const warehouse = { dataDir, schema: SCHEMAS.tool }
        await snapshot({ baseUrl: source.baseUrl, warehouse })
        const moved = await inDatabase(server.url, (url) => movedTo(url, warehouse))
        yield { figure: 'move-embedded', value: moved.moveMs / 1000, parts: moved }
        await rm(dataDir, { recursive: true })
      }
    }
    await dropSchemas(server.url)
  },
}

async function inDatabase<T>(server: string, work: (url: string) => Promise<T>): Promise<T> {
  const { url, drop } = await freshDatabase(server)
  return await work(url).finally(drop)
}

const PIPE = `set -o pipefail; pg_dump -n ${SCHEMAS.tool} -n ${SCHEMAS.tool}_history -d "$1" | psql -X -q -v ON_ERROR_STOP=1 -d "$2"`

async function dumped(from: string, to: string): Promise<number> {
  const begun = performance.now()
  await promisify(execFile)('bash', ['-c', PIPE, 'bash', from, to], { maxBuffer: 64 * 2 ** 20 })
  return performance.now() - begun
}

async function movedTo(to: string, warehouse: Warehouse): Promise<Measured['parts'] & { readonly moveMs: number }> {
  const { code, stdout, stderr, peakMemory } = await run('collab-extract', ['move', '--to', to, '--json'], {
    measureMemory: true,
    env: { ...environment(warehouse), COLLAB_LOG_LEVEL: 'warn' },
  })
  if (code !== 0) throw new Error(`collab-extract move ended with ${code}: ${stderr}`)
  // printed by `move --json` of this repository
  const { duration_ms: moveMs, tables } = JSON.parse(stdout) as { duration_ms: number; tables: { rows: number }[] }
  return { moveMs, rows: tables.reduce((sum, { rows }) => sum + rows, 0), peakMB: peakMemory / 1e6 }
}
