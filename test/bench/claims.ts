// Measures the queue of a run with many projects: node test/bench/claims.ts PROJECTS WORKERS… (TEST_DATABASE_URL must be set)
import { freshDatabase, onServer } from '@collab-etl/harness/postgres'
import { openWarehouse } from '@collab-etl/warehouse'
import pg from 'pg'

const SECONDS = 10

const [projects = 1_000_000, ...counts] = process.argv.slice(2).map(Number)
const server = process.env['TEST_DATABASE_URL']
if (server === undefined) throw new Error('set TEST_DATABASE_URL')
const database = await freshDatabase(server)
const options = { databaseUrl: database.url, dataDir: '', schema: 'collab' }
const warehouse = await openWarehouse(options)
const observer = new pg.Client({ connectionString: database.url })
try {
  await warehouse.admin.migrate()
  await observer.connect()
  await using _lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: 'http://service', toolVersion: '1' })
  const coordinator = await warehouse.runs.queue.coordinate(run)
  const jobs = Array.from({ length: projects }, (_, index) => ({
    ...{ pid: `project-${index}`, round: 0, data: { project: { pid: `project-${index}`, listed: null } } },
    priority: (index * 7919) % 100_000,
  }))
  const planned = await timed(() => coordinator.plan({}, jobs))
  report(`planned ${projects} jobs in ${seconds(planned)}`)
  await onServer(database.url, 'VACUUM ANALYZE')
  const polled = await timed(async () => {
    const stop = AbortSignal.timeout(100)
    await coordinator.wait(() => {}, stop).catch(() => {}) // long enough for a check of all jobs
  })
  report(`the coordinator's poll: about ${Math.round(polled)} ms`)
  for (const count of counts) await claim(count)
  const { rows } = await observer.query(
    `SELECT pg_size_pretty(sum(pg_total_relation_size(c.oid))) AS size FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'collab_queue' AND c.relkind = 'r'`,
  )
  report(`size of the queue: ${rows[0]?.size}`)
  await coordinator.close()
} finally {
  await observer.end()
  await warehouse.close()
  await database.drop()
}

/** Lets workers claim jobs for some seconds, and reports how many they got and how many sessions they had. */
async function claim(count: number): Promise<void> {
  const warehouses = await Promise.all(Array.from({ length: count }, () => openWarehouse(options)))
  const end = performance.now() + SECONDS * 1000
  let [claimed, sessions] = [0, 0]
  const work = async (of: (typeof warehouses)[number]) => {
    const worker = await of.runs.queue.join()
    const plan = await worker.plan()
    if (plan === null) throw new Error('no run is under way')
    const joined = await worker.join(plan, { full: false, marked: [], readAs: '' })
    const begun = performance.now()
    while (performance.now() < end) if ((await joined.take()) !== null) claimed += 1
    return { worker, ms: performance.now() - begun }
  }
  const ended = await Promise.all(warehouses.map(work))
  const found = await observer.query(
    'SELECT count(*)::integer AS n FROM pg_stat_activity WHERE datname = current_database()',
  )
  sessions = found.rows[0]?.n ?? 0
  const rate = claimed / (Math.max(...ended.map(({ ms }) => ms)) / 1000)
  report(
    `${count} workers: ${Math.round(rate)} claims a second, ${((1000 * count) / rate).toFixed(1)} ms each, ${sessions} sessions`,
  )
  for (const { worker } of ended) await worker.close()
  for (const each of warehouses) await each.close()
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function report(line: string): void {
  process.stdout.write(`${line}\n`)
}
