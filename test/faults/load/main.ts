import { randomBytes } from 'node:crypto'
import { formatCount } from '@collab-etl/cli'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { freshDatabase } from '@collab-etl/harness/postgres'
import { findServer } from '@collab-etl/harness/postgres-server'
import { nightTable } from './night-table.ts'
import { HELP, type Options, parseOptions } from './options.ts'
import { type Night, type NightsOptions, runNights } from './run-nights.ts'
import { growthOf, judge, type Verdict } from './verdicts.ts'

// `pnpm test:load`: see the README in this directory.

/**
 * Largest ratio of the durations of late and early unchanged runs. Costs that grow with the number of runs show as a
 * multiple; two medians of three runs on a busy machine differ by a tenth.
 */
const GROWTH = 1.25

const interrupted = Promise.withResolvers<never>()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interrupted.reject(new Error(`interrupted by ${signal}`)))
}
try {
  const options = parseOptions(process.argv.slice(2))
  if (options === null) process.stdout.write(HELP)
  else await main(options)
} catch (error) {
  process.stderr.write(`load: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
// After an interruption, a run may still be active.
process.exit()

async function main(options: Options): Promise<void> {
  await using cleanUp = new AsyncDisposableStack()
  const { url, origin, stop } = await findServer()
  if (url === null) throw new Error(`the Postgres server ${origin}`)
  cleanUp.defer(stop)
  const database = await freshDatabase(url)
  cleanUp.defer(() => database.drop())
  const scratch = cleanUp.use(await scratchDirectory())
  const { runs, projects, tasks } = options
  process.stdout.write(`${formatCount(tasks)} tasks in ${formatCount(projects)} projects, ${runs} runs\n`)
  const token = `tok-${randomBytes(18).toString('base64url')}`
  const spending = spend({
    ...options,
    databaseUrl: database.url,
    directory: scratch.path,
    token,
    lean: true,
    logLevel: 'warn',
  })
  const nights = await Promise.race([spending, interrupted.promise])
  tell(nights, judge(nights, { growth: GROWTH }))
}

async function spend(options: NightsOptions): Promise<Night[]> {
  const nights: Night[] = []
  for await (const night of runNights(options)) {
    nights.push(night)
    const { number, kind, report } = night
    process.stderr.write(`${new Date().toISOString()} run ${number}, ${kind}: ${report.seconds.toFixed(1)} s\n`)
  }
  return nights
}

function tell(nights: readonly Night[], verdicts: readonly Verdict[]): void {
  process.stdout.write(`\n${nightTable(nights)}\n\n`)
  for (const { name, failures } of verdicts) {
    process.stdout.write(`${failures.length === 0 ? '✓' : '✗'} ${name}\n`)
    for (const failure of failures) process.stdout.write(`    ${failure}\n`)
  }
  const ratio = growthOf(nights.filter(({ kind }) => kind === 'unchanged'))
  const failed = verdicts.filter(({ failures }) => failures.length > 0).length
  process.stdout.write(`\nTime of the last unchanged runs against the first: ${ratio.toFixed(2)}\n`)
  process.stdout.write(`${verdicts.length - failed} passed, ${failed} failed\n`)
  if (failed > 0) process.exitCode = 1
}
