import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const MODULE = new URL('../src/heap-growth.ts', import.meta.url).href

/** The heap's greatest size, in MB, while a process replaces 60,000 objects 60 times. A process of its own, as flags of V8 change. */
function greatestSize({ isChecked }: { readonly isChecked: boolean }): number {
  const script = `
    import v8 from 'node:v8'
    import { HeapGrowth } from '${MODULE}'
    const used = () => v8.getHeapStatistics().used_heap_size
    const growth = ${isChecked ? 'new HeapGrowth()' : '{ check() {} }'}
    const kept = []
    let peak = 0
    for (let turn = 0; turn < 60; turn++) {
      kept[turn % 2] = Array.from({ length: 60_000 }, (_, index) => ({ index, turn }))
      growth.check()
      peak = Math.max(peak, used())
    }
    process.stdout.write(String(peak / 1e6))`
  const ran = spawnSync(process.execPath, ['--max-semi-space-size=1', '--input-type=module', '-e', script])
  expect(String(ran.stderr)).toBe('')
  return Number(ran.stdout)
}

test('a heap that is checked often has 48 MB at most while little is in use', () => {
  expect(greatestSize({ isChecked: true })).toBeLessThan(48)
  expect(greatestSize({ isChecked: false })).toBeGreaterThan(48)
})
