import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const KB = 1024

/** Each page for users, with the KB that it has at most. `docs/commands` is made from the help. */
const LIMITS = {
  'README.md': 7,
  'docs/accounts.md': 5,
  'docs/assistants.md': 8,
  'docs/backup.md': 15,
  'docs/data-out.md': 8,
  'docs/faq.md': 4,
  'docs/format.md': 20,
  'docs/guarantees.md': 12,
  'docs/large.md': 10,
  'docs/migrate.md': 12,
  'docs/operations.md': 18,
  'docs/recovery.md': 8,
  'docs/restore.md': 6,
  'docs/settings.md': 7,
  'docs/start.md': 5,
  'docs/troubleshooting.md': 12,
  'docs/view.md': 4,
  'docs/warehouse.md': 20,
}

const sizeOf = (page: string) => statSync(join(ROOT, page)).size

test('each page for users has a limit', () => {
  const pages = globSync('docs/*.md', { cwd: ROOT })
  expect(['README.md', ...pages].sort()).toEqual(Object.keys(LIMITS))
})

test.each(Object.entries(LIMITS))('%s has at most %d KB', (page, limit) => {
  expect(sizeOf(page)).toBeLessThanOrEqual(limit * KB)
})

test('the pages for developers have at most 80 KB together', () => {
  const pages = globSync('docs/dev/**/*.md', { cwd: ROOT })
  expect(pages.reduce((total, page) => total + sizeOf(page), 0)).toBeLessThanOrEqual(80 * KB)
})

test('a cell of a table for users has at most 300 characters', () => {
  const long = Object.keys(LIMITS).flatMap((page) =>
    readFileSync(join(ROOT, page), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .flatMap((line) => line.split(/(?<!\\)\|/))
      .filter((cell) => cell.length > 300)
      .map((cell) => `${page}: ${cell}`),
  )
  expect(long).toEqual([])
})

test('the glossary has at most 40 terms, and each once', () => {
  const page = readFileSync(join(ROOT, 'docs/dev/glossary.md'), 'utf8')
  const [, ...terms] = [...page.matchAll(/^\| (\w[^|]*?) \|/gm)].map(([, term]) => term)
  expect(terms.length).toBeGreaterThan(30)
  expect(terms.length).toBeLessThanOrEqual(40)
  expect(new Set(terms).size).toBe(terms.length)
})
