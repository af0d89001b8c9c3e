import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { BENCHES } from './benches/index.ts'
import { measureAll } from './measure-all.ts'
import { type Options, parseOptions } from './options.ts'
import { settingsOf } from './postgres/database.ts'
import { benchServer, noServer } from './postgres/server.ts'
import { type Result, resultsTable } from './report.ts'
import { FIGURES, merged, REFERENCE, type Results, readResults, writePage, writeResults } from './results.ts'

// `pnpm bench`: see the README in this directory.

const interrupted = Promise.withResolvers<never>()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interrupted.reject(new Error(`interrupted by ${signal}`)))
}
try {
  const options = parseOptions(process.argv.slice(2), BENCHES)
  await (options.onlyPage ? writePage(await readResults(REFERENCE)) : main(options))
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
// After an interruption, measurements may still be active.
process.exit()

async function main(options: Options): Promise<void> {
  const { wanted, runs, sizes, json, isReference } = options
  await using cleanUp = new AsyncDisposableStack()
  const scratch = await mkdtemp(join(tmpdir(), 'collab-bench-'))
  cleanUp.defer(() => rm(scratch, { recursive: true, force: true }))
  const chosen = BENCHES.filter(({ figures }) => figures.some(({ name }) => wanted.has(name)))
  const onPostgres = chosen.some((bench) => bench.onPostgres)
  const server = cleanUp.use(onPostgres ? await benchServer() : noServer)
  const profile = options.profile ? await mkdtemp(join(tmpdir(), 'collab-bench-profiles-')) : undefined
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  // If it exceeds the number of cores, other programs were running.
  const [loadBefore] = loadavg()
  const environment = {
    machine: { processor: cpus()[0]?.model, cores: availableParallelism(), node: process.version },
    loadBefore,
    postgres: onPostgres ? { kind: server.kind, settings: await settingsOf(server.url) } : null,
  }
  const at = new Date().toISOString()
  const results: Result[] = []
  let document: Results = isReference ? await readResults(json) : { environments: {}, results: [] }
  const measuring = (async () => {
    for await (const some of measureAll(chosen, { sizes, server, scratch, runs, wanted, profile, say })) {
      results.push(...some)
      document = merged(document, some, at, environment)
      // After each bench, as an interruption would lose all of them.
      await writeResults(json, document)
      if (isReference) await writePage(document)
    }
  })()
  await Promise.race([measuring, interrupted.promise])
  process.stdout.write(`${resultsTable(FIGURES, results)}\n`)
  say(`Details of each run: ${json}`)
  if (profile !== undefined) say(`Profiles (which slow down what they measure): ${profile}`)
}
