import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// Which package may import which, and that there are no cycles, is checked by `pnpm run lint` (.dependency-cruiser.cjs).

const ROOT = join(import.meta.dirname, '../..')

test('no file has over 400 lines', () => {
  const long = globSync('{packages,apps,test}/**/*.{ts,sql,js}', {
    cwd: ROOT,
    exclude: (name) => /(^|[/\\])(node_modules|dist|golden)$/.test(name),
  })
    .map((file) => ({ file, lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > 400)
  expect(long).toEqual([])
})

test('the top level holds the expected files and directories only', () => {
  const named =
    /^(\..*|package\.json|pnpm-workspace\.yaml|pnpm-lock\.yaml|turbo\.json|packages|apps|test|docs|deploy|README\.md|CHANGELOG\.md|LICENSE|(tsconfig\.base|biome|knip)\.json|vitest\.config\.ts)$/
  const made = /^(node_modules|collab-data|collab-backup|collab-sample|collab\.yaml|coverage|reports)$/
  expect(readdirSync(ROOT).filter((name) => !named.test(name) && !made.test(name))).toEqual([])
})

test.each([
  'contract',
  'core',
  'warehouse',
  'bagit',
  'backups',
  'documents',
  'observability',
  'cli',
  'lock',
  'sandbox',
])('packages/%s exports compiled files and assets by name', (name) => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'))
  const files = Object.values(exports as Record<string, unknown>).flatMap((target) => JSON.stringify(target))
  expect(files.filter((target) => target.includes('*') || target.includes('/src/'))).toEqual([])
  expect(Object.keys(exports)).toContain('.')
})

test('no source uses a class or function that the oldest supported Node lacks', () => {
  const lacking =
    /\b(?:new (?:Async)?DisposableStack|instanceof SuppressedError|RegExp\.escape|Error\.isError|Math\.sumPrecise|Uint8Array\.fromBase64|Promise\.try|Map\.prototype\.getOrInsert)\b/
  const sources = globSync('{packages,apps}/*/{src,bin}/**/*.{ts,js}', { cwd: ROOT })
  expect(sources.length).toBeGreaterThan(400)
  expect(sources.filter((file) => lacking.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([])
})
