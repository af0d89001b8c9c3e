import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const MAX_HOPS = 14

const page = readFileSync(join(ROOT, 'docs/dev/architecture.md'), 'utf8')
const section = page.split(/^## /m).find((each) => each.startsWith('The three walks\n')) ?? ''

/** The numbered lines of each walk. */
const walks = section
  .split(/^### /m)
  .slice(1)
  .map((walk) => ({ title: walk.slice(0, walk.indexOf('\n')), hops: walk.match(/^\d+\. .*$/gm) ?? [] }))

test('docs/dev/architecture.md draws three walks', () => {
  expect(walks.map(({ title }) => title)).toEqual([
    'A task to its row',
    'A page to its file',
    'A changed page on the second night',
  ])
})

describe.each(walks)('$title', ({ hops }) => {
  test('has a few hops, each with a file and a name', () => {
    expect(hops.length).toBeGreaterThan(5)
    expect(hops.length).toBeLessThanOrEqual(MAX_HOPS)
    expect(hops.filter((hop) => nameIn(hop) === null)).toEqual([])
  })

  test('names only what its files declare', () => {
    expect(hops.filter((hop) => !isDeclared(hop))).toEqual([])
  })
})

function nameIn(hop: string): { file: string; name: string } | null {
  const [, file, name] = /^\d+\. `([\w/.-]+\.ts)` → `(\w+)`: /.exec(hop) ?? []
  return file === undefined || name === undefined ? null : { file, name }
}

function isDeclared(hop: string): boolean {
  const found = nameIn(hop)
  if (found === null) return false
  const { file, name } = found
  const declaration = new RegExp(`^(export )?((abstract )?class|(async )?function\\*?|const) ${name}\\b`, 'm')
  return declaration.test(readFileSync(join(ROOT, file), 'utf8'))
}
