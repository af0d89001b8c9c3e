import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { misspeltWarnings } from '../src/settings/misspelt.ts'
import { runFixture } from './fixture/run.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** What is suggested for a variable. */
function suggestionFor(name: string): string | undefined {
  return misspeltWarnings({ [name]: 'x' })[0]?.split('did you mean ')[1]
}

test.each([
  ['COLLAB_BASE_ULR', 'COLLAB_BASE_URL?'],
  ['COLLAB_URL', 'COLLAB_BASE_URL?'],
  ['COLLAB_TOKENFILE', 'COLLAB_TOKEN_FILE?'],
  ['collab_token', 'COLLAB_TOKEN?'],
  ['COLLAB_DATABASE_URL', 'DATABASE_URL?'],
  ['COLLAB_DATADIR', 'COLLAB_DATA_DIR?'],
])('%s: did you mean %s', (name, suggestion) => {
  expect(suggestionFor(name)).toBe(suggestion)
})

test.each([
  'COLLAB_PORT',
  'COLLAB_PORT_80_TCP_ADDR',
  'COLLAB_SERVICE_HOST',
  'COLLAB_TEST_BACKENDS',
  'DATABASE_ULR',
  'HOME',
])('%s may belong to another program', (name) => {
  expect(suggestionFor(name)).toBeUndefined()
})

test('every variable that sources, pages and files for deployment name is known', () => {
  const files = globSync(['{apps,packages}/*/src/**/*.ts', 'docs/**/*.md', 'deploy/**/*', 'README.md'], {
    cwd: ROOT,
    withFileTypes: true,
  })
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'))
  const named = new Set(texts.flatMap((text) => text.match(/\bCOLLAB_[A-Z_]*[A-Z]\b/g) ?? []))
  expect(named.size).toBeGreaterThan(20)
  // a child deletes it as it starts
  named.delete('COLLAB_ENDS_WITH_PARENT')
  expect(misspeltWarnings(Object.fromEntries([...named].map((name) => [name, 'x'])))).toEqual([])
})

test('a program warns before its command runs, without the value', async () => {
  const ran = await runFixture(['show'], { env: { COLLAB_TOKN: 'a-secret-token' } })
  expect(ran.code).toBe(0)
  expect(ran.stderr).toContain('COLLAB_TOKN is unknown and has no effect; did you mean COLLAB_TOKEN?')
  expect(ran.stdout + ran.stderr).not.toContain('a-secret-token')
})
