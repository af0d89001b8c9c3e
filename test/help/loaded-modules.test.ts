import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, run, scratchDirectory } from '@collab-etl/harness/commands'
import { expect, test } from 'vitest'

// A program's start takes as long as its modules take to load: each costs half a millisecond of processor time. Times vary, modules do not.

const HOOK = join(import.meta.dirname, 'record-modules.mjs')

/** What no command needs before it reads or writes anything. */
const HEAVY =
  /^(?:typebox|undici|yaml|csv-parse|csv-stringify|pg|pg-boss|@opentelemetry|@electric-sql|fastify|tldts|zod)$/

interface Loaded {
  readonly code: number | null
  /** Modules, those of Node not counted. */
  readonly count: number
  /** Names of the packages that they belong to, ours by their directory; of a name with a scope, the scope alone. */
  readonly packages: ReadonlySet<string>
}

async function loadedBy(command: Command, args: readonly string[]): Promise<Loaded> {
  await using scratch = await scratchDirectory()
  const file = join(scratch.path, 'modules')
  const env = { NODE_OPTIONS: `--import=${HOOK}`, COLLAB_TEST_MODULES_FILE: file }
  const { code } = await run(command, args, { cwd: scratch.path, env })
  const addresses = (await readFile(file, 'utf8')).split('\n').filter((address) => address.startsWith('file:'))
  const packages = addresses.map((address) => /.*\/(?:node_modules|packages|apps)\/([^/]+)\//.exec(address)?.[1] ?? '')
  return { code, count: addresses.length, packages: new Set(packages) }
}

test.each<[command: Command, args: string[], code: number, atMost: number]>([
  ['collab-extract', ['--version'], 0, 145],
  ['collab-extract', ['--help'], 0, 145],
  ['collab-export', ['--version'], 0, 140],
  ['collab-export', ['--help'], 0, 140],
  ['collab-export', ['list', '.'], 0, 200],
  ['collab-nightly', ['--version'], 0, 140],
  ['collab-nightly', ['--help'], 0, 140],
])('%s %j loads no library of a database, of HTTP or of a parser', async (command, args, code, atMost) => {
  const loaded = await loadedBy(command, args)
  expect(loaded.code).toBe(code)
  expect([...loaded.packages].filter((name) => HEAVY.test(name))).toEqual([])
  expect(loaded.packages).toContain('yargs')
  expect(loaded.count).toBeLessThan(atMost)
})

test.each<[command: Command, args: string[]]>([
  ['collab-extract', ['runs']],
  ['collab-extract', ['query', 'SELECT 1']],
  ['tap-collab', ['--discover']],
])('%s %j loads no schema compiler, no HTTP client and no parser of configuration', async (command, args) => {
  const { code, count, packages } = await loadedBy(command, args)
  // there is no warehouse
  expect(code).toBe(2)
  const needed = /^(?:@electric-sql|csv-stringify)$/
  expect([...packages].filter((name) => HEAVY.test(name) && !needed.test(name))).toEqual([])
  expect(packages).toContain('warehouse')
  expect(count).toBeLessThan(300)
})
