import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const MODULE = new URL('../bin/young-generation.js', import.meta.url)

/** Allocates and keeps some objects for a while, as a command does. Prints the size of the young generation in MB. */
const PROGRAM = `
  import v8 from 'node:v8'
  import { setImmediate as turn } from 'node:timers/promises'
  const kept = []
  for (let step = 0; step < 200; step++) {
    for (let n = 0; n < 20_000; n++) kept[(step * 20_000 + n) % 400_000] = { step, n, text: 'x' + n }
    await turn()
  }
  const young = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  console.log(young.space_size / 1024 / 1024)`

async function youngMegabytes(before: string): Promise<number> {
  const args = ['--input-type=module', '--eval', before + PROGRAM]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return Number(stdout)
}

test('the young generation of V8 stays small', async () => {
  const [bounded, unbounded] = await Promise.all([
    youngMegabytes(`import { boundYoungGeneration } from '${MODULE}'; boundYoungGeneration();`),
    youngMegabytes(''),
  ])
  expect(bounded).toBeLessThan(unbounded / 2)
})
