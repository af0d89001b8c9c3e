import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { BENCHES } from './benches/index.ts'
import { measureAll } from './measure-all.ts'
import { type Options, parseOptions } from './options.ts'
import { settingsOf } from './postgres/database.ts'
import { benchServer, noServer } from './postgres/server.ts'
import { resultsTable } from './report.ts'

// `pnpm bench`: see the README in this directory.

const interrupted = Promise.withResolvers<never>()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interrupted.reject(new Error(`interrupted by ${signal}`)))
}
try {
  await main(parseOptions(process.argv.slice(2), BENCHES, join(import.meta.dirname, 'results.json')))
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
// After an interruption, measurements may still be active.
process.exit()

async function main(options: Options): Promise<void> {
  const { wanted, runs, sizes, json } = options
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
  const measuring = measureAll(chosen, { sizes, server, scratch, runs, wanted, profile, say })
  const results = await Promise.race([measuring, interrupted.promise])
  const document = {
    at: new Date().toISOString(),
    machine: { processor: cpus()[0]?.model, cores: availableParallelism(), node: process.version, loadBefore },
    postgres: onPostgres ? { kind: server.kind, settings: await settingsOf(server.url) } : null,
    sizes,
    results,
  }
  await writeFile(json, `${JSON.stringify(document, null, 2)}\n`)
  process.stdout.write(`${resultsTable(results)}\n`)
  say(`Details of each run: ${json}`)
  if (profile !== undefined) say(`Profiles (which slow down what they measure): ${profile}`)
}
