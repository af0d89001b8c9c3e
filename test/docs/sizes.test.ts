import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const KB = 1024

/** Pages for developers outside of docs/dev: code and readers know them by these paths. */
const DEVELOPERS = ['docs/architecture.md', 'docs/service-api.md']

const pages = globSync('docs/**/*.md', { cwd: ROOT })
const developers = pages.filter((page) => page.startsWith('docs/dev/') || DEVELOPERS.includes(page))
const users = pages.filter((page) => !developers.includes(page))

const sizeOf = (page: string) => statSync(join(ROOT, page)).size
const sum = (names: readonly string[]) => names.reduce((total, page) => total + sizeOf(page), 0)

test('a page for users has at most 20 KB, all together 185, and the README 7', () => {
  expect(users.filter((page) => sizeOf(page) > 20 * KB)).toEqual([])
  expect(sizeOf('README.md')).toBeLessThanOrEqual(7 * KB)
  expect(sum(users)).toBeLessThanOrEqual(185 * KB)
})

test('the pages for developers have at most 80 KB together', () => {
  expect(sum(developers)).toBeLessThanOrEqual(80 * KB)
})

test('the glossary has at most 40 terms, and each once', () => {
  const page = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8')
  const [, ...terms] = [...page.matchAll(/^\| (\w[^|]*?) \|/gm)].map(([, term]) => term)
  expect(terms.length).toBeGreaterThan(30)
  expect(terms.length).toBeLessThanOrEqual(40)
  expect(new Set(terms).size).toBe(terms.length)
})
