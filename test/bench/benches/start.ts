import { spawnSync } from 'node:child_process'
import { run } from '@collab-etl/harness/commands'
import type { Bench } from '../bench.ts'

/** Nothing listens there. */
const NO_SERVER = 'postgres://user@127.0.0.1:1/none'

/** From the start of a program until it connects: there is no warehouse, and no server, to connect to. */
export const start: Bench = {
  figures: [
    {
      name: 'start',
      what: 'collab-extract runs until it connects, embedded or Postgres',
      unit: 's',
      limit: { atMost: 0.25 },
    },
  ],
  onPostgres: false,
  async *measure({ scratch, runs, say }) {
    for (let number = 1; number <= runs; number++) {
      say(`run ${number} of ${runs}: starts`)
      const embeddedMs = await timeOf(() => listRuns({ cwd: scratch, code: 2 }))
      const postgresMs = await timeOf(() => listRuns({ cwd: scratch, code: 1, env: { DATABASE_URL: NO_SERVER } }))
      const nodeMs = await timeOf(() => spawnSync(process.execPath, ['-e', '0']))
      yield {
        figure: 'start',
        value: Math.max(embeddedMs, postgresMs) / 1000,
        parts: { embeddedMs, postgresMs, nodeMs },
      }
    }
  },
}

async function timeOf(work: () => unknown): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

interface Expected {
  readonly cwd: string
  readonly code: number
  readonly env?: Readonly<Record<string, string>>
}

async function listRuns({ code, ...options }: Expected): Promise<void> {
  const ran = await run('collab-extract', ['runs'], options)
  if (ran.code !== code) throw new Error(`collab-extract runs ended with ${ran.code}: ${ran.stderr}`)
}
