import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import v8 from 'node:v8'
import type { Program } from '@collab-etl/cli'
import type { NightOrder, NightReport } from './night-messages.ts'

// The process whose level is watched: `collab-extract`, run again and again in it, as a job would that stays. Told what to run by
// messages, gone with its parent. Started with `--expose-gc`.

/** How long what is closed may take to be gone; whatever is there then stays. */
const PATIENCE_MS = 5000

/** Collections until nothing more is found: what is finalised in one may free more in the next. */
const MOST_COLLECTIONS = 20

// As the bin does, before anything loads.
v8.setFlagsFromString('--semi-space-growth-factor=1')
v8.setFlagsFromString('--heap-growing-percent=40')
v8.setFlagsFromString('--no-wasm-tier-up')
v8.setFlagsFromString('--no-wasm-dynamic-tiering')
const { runCli } = await import('@collab-etl/cli')
const extractor = import.meta.resolve('@collab-etl/extractor/package.json')
// The very program that the bin runs; not exported, as it is no library.
const { PROGRAM } = (await import(new URL('dist/program.js', extractor).href)) as { PROGRAM: Program }

process.on('message', (order: NightOrder) => void spendNight(order).then((report) => process.send?.(report)))
process.on('disconnect', () => process.exit())
// Now that it listens to its parent.
const handlesAtRest = process.getActiveResourcesInfo().length
process.send?.('ready')

async function spendNight({ argv, env }: NightOrder): Promise<NightReport> {
  // Each time: the program takes what is secret out of the environment.
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
