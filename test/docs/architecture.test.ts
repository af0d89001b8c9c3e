import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

test('docs/dev/architecture.md has a paragraph for each source directory, and for no other', () => {
  const page = readFileSync(join(ROOT, 'docs/dev/architecture.md'), 'utf8')
  const described = [...page.matchAll(/^(?:### |\*\*)((?:packages|apps)\/[\w/-]+)/gm)].map(([, path = '']) => path)
  const directories = globSync('{packages,apps}/*/src/**/*.{ts,tsx}', { cwd: ROOT }).map((file) => dirname(file))
  expect(described.sort()).toEqual([...new Set(directories)].sort())
})
