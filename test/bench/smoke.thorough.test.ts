/** @module-tag thorough */

import { spawn, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { HAS_CHROMIUM } from '@collab-etl/harness/browser'
import { cleanEnvironment, scratchDirectory } from '@collab-etl/harness/commands'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import { times } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { BENCHES } from './benches/index.ts'
import { PEERS } from './measured/peers.ts'
import { PSQL } from './postgres/psql.ts'

// Figures of so little data are meaningless: this only checks that the benches run.

const isThere = (program: string) => spawnSync(program, ['--version']).status === 0

const server = postgresServer()
/** Some rows need programs that may be missing. */
const [FLOOR, CURL] = [isThere(PSQL), ['curl', 'bash', 'sha256sum'].every(isThere)]
/** Each of these covers others, which only `npm run test:thorough` measures: they start some forty processes. */
const QUICK = ['unchanged-curl', 'changed', 'copy-projects', 'archived', 'backup-script']
const QUICK_BACKUPS = ['backup-again', 'backup-changed', 'backup-memory-html', 'backup-formats-changed']
const isMissing = (program: string) => spawnSync(program, ['version']).error !== undefined
const FIGURES = BENCHES.flatMap(({ figures, onPostgres }) => (server === null && onPostgres ? [] : figures))
  .map(({ name }) => name)
  .filter((name) => times(0, 1) === 1 || [...QUICK, ...QUICK_BACKUPS].includes(name))
  .filter((name) => FLOOR || !name.startsWith('copy'))
  // a pg_dump older than the server refuses it
  .filter((name) => name !== 'move')
  .filter((name) => HAS_CHROMIUM || name !== 'search-html')
  .filter((name) => name !== 'backup-rsync' || !isMissing('rsync'))
  .filter((name) => name !== 'backup-again-peers' || !PEERS.every(isMissing))
  .filter((name) => CURL || name !== 'unchanged-curl')

test('all benches run on a tiny source and write their figures', async () => {
  await using scratch = await scratchDirectory()
  const database = server === null ? null : await freshDatabase(server)
  try {
    const json = join(scratch.path, 'results.json')
    const args = ['--tiny', '--only', FIGURES.join(','), '--json', json]
    const child = spawn('node', [join(import.meta.dirname, 'main.ts'), ...args], {
      env: { ...cleanEnvironment(), TEST_DATABASE_URL: database?.url ?? '' },
    })
    const ended = new Promise((resolve) => child.once('close', resolve))
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
    expect(stderr).not.toMatch(/^bench:/m)
    expect(code).toBe(0)
    for (const name of FIGURES) expect(stdout).toMatch(new RegExp(`^${name} .* [\\d.]+ `, 'm'))
    const { results } = JSON.parse(await readFile(json, 'utf8'))
    expect(results.map((result: { name: string }) => result.name)).toEqual(FIGURES)
    const changed = results.find((result: { name: string }) => result.name === 'changed')
    // Of 201 tasks, two are changed, each with an item of its checklist.
    if (changed) expect(changed.runs[0].parts.otherRowsWritten).toBe(4)
  } finally {
    await database?.drop()
  }
})
