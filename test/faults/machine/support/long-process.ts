import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import v8 from 'node:v8'
import type { Program } from '@collab-etl/cli'

// The process under test: it runs `collab-extract` again and again. It receives commands as messages and ends with its parent. Start it with
// `--expose-gc`.

/** A command for the process. */
export interface Order {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** State of the process after a command and garbage collection. Memory in bytes. */
export interface Report {
  readonly exitCode: number
  /** The heap without compiled code, which V8 discards and compiles again all the time. */
  readonly heap: number
  readonly code: number
  /** Outside of the heap, mainly buffers. */
  readonly external: number
  readonly handles: number
  readonly files: number
}

/** Time for closed handles to disappear, in milliseconds. */
const PATIENCE_MS = 5000

/** Collects garbage until no more is freed, because finalisers may free more. */
const MOST_COLLECTIONS = 20

// As in bin/, before other modules load.
for (const flag of ['semi-space-growth-factor=1', 'heap-growing-percent=40', 'no-wasm-tier-up'])
  v8.setFlagsFromString(`--${flag}`)
const { runCli } = await import('@collab-etl/cli')
const extractor = import.meta.resolve('@collab-etl/extractor/package.json')
// The program that bin/ runs; it is not exported.
const { PROGRAM } = (await import(new URL('dist/program.js', extractor).href)) as { PROGRAM: Program }

process.on('message', (order: Order) => void obey(order).then((report) => process.send?.(report)))
process.on('disconnect', () => process.exit())
// Ready for messages of the parent.
const handlesAtRest = process.getActiveResourcesInfo().length
process.send?.('ready')

async function obey({ argv, env }: Order): Promise<Report> {
  // For each run, because the program removes secrets from the environment.
  Object.assign(process.env, env)
  await runCli({ ...PROGRAM, argv })
  const exitCode = Number(process.exitCode)
  process.exitCode = undefined
  const end = performance.now() + PATIENCE_MS
  while (process.getActiveResourcesInfo().length > handlesAtRest && performance.now() < end) await sleep(10)
  const handles = process.getActiveResourcesInfo().length
  return { exitCode, ...(await collected()), handles, files: readdirSync('/proc/self/fd').length }
}

async function collected(): Promise<Pick<Report, 'heap' | 'code' | 'external'>> {
  let least = memoryNow()
  for (let count = 0; count < MOST_COLLECTIONS; count++) {
    await globalThis.gc?.({ execution: 'async' })
    const now = memoryNow()
    const isLess = now.heap + now.external < least.heap + least.external
    if (isLess) least = now
    else if (count > 2) break
  }
  return least
}

function memoryNow() {
  const ofCode = v8.getHeapSpaceStatistics().filter(({ space_name }) => /code|trusted/.test(space_name))
  const code = ofCode.reduce((sum, { space_used_size }) => sum + space_used_size, 0)
  const { heapUsed, external } = process.memoryUsage()
  return { heap: heapUsed - code, code, external }
}
