import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import v8 from 'node:v8'
import type { Program } from '@collab-etl/cli'
import type { NightOrder, NightReport } from './night-messages.ts'

// The process under test: it runs `collab-extract` repeatedly, like a long-running job. It receives commands as
// messages and ends with its parent. Start it with `--expose-gc`.

/** Time for closed handles to disappear, in milliseconds. */
const PATIENCE_MS = 5000

/** Collects garbage until no more is freed, because finalisers may free more. */
const MOST_COLLECTIONS = 20

// As in bin/, before other modules load.
v8.setFlagsFromString('--semi-space-growth-factor=1')
v8.setFlagsFromString('--heap-growing-percent=40')
v8.setFlagsFromString('--no-wasm-tier-up')
v8.setFlagsFromString('--no-wasm-dynamic-tiering')
const { runCli } = await import('@collab-etl/cli')
const extractor = import.meta.resolve('@collab-etl/extractor/package.json')
// The program that bin/ runs; it is not exported.
const { PROGRAM } = (await import(new URL('dist/program.js', extractor).href)) as { PROGRAM: Program }

process.on('message', (order: NightOrder) => void spendNight(order).then((report) => process.send?.(report)))
process.on('disconnect', () => process.exit())
// Ready for messages of the parent.
const handlesAtRest = process.getActiveResourcesInfo().length
process.send?.('ready')

async function spendNight({ argv, env }: NightOrder): Promise<NightReport> {
  // For each run, because the program removes secrets from the environment.
  Object.assign(process.env, env)
  const begun = performance.now()
  const before = process.cpuUsage()
  await runCli({ ...PROGRAM, argv })
  const { user, system } = process.cpuUsage(before)
  const seconds = (performance.now() - begun) / 1000
  const exitCode = Number(process.exitCode)
  process.exitCode = undefined
  await untilAtRest()
  const { heapUsed, code, external, rss } = await collected()
  return {
    ...{ exitCode, seconds, cpuSeconds: (user + system) / 1e6, heap: heapUsed - code, code, external, rss },
    handles: process.getActiveResourcesInfo(),
    files: readdirSync('/proc/self/fd').length,
  }
}

async function untilAtRest(): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (process.getActiveResourcesInfo().length > handlesAtRest && performance.now() < end) await sleep(10)
}

async function collected(): Promise<Memory> {
  let least = memoryNow()
  for (let count = 0; count < MOST_COLLECTIONS; count++) {
    await globalThis.gc?.({ execution: 'async' })
    const now = memoryNow()
    const isLess = now.heapUsed + now.external < least.heapUsed + least.external
    if (isLess) least = now
    else if (count > 2) break
  }
  return least
}

interface Memory extends NodeJS.MemoryUsage {
  readonly code: number
}

function memoryNow(): Memory {
  const ofCode = v8.getHeapSpaceStatistics().filter(({ space_name }) => /code|trusted/.test(space_name))
  return { ...process.memoryUsage(), code: ofCode.reduce((sum, { space_used_size }) => sum + space_used_size, 0) }
}
