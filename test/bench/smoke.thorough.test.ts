import { spawn, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { cleanEnvironment, scratchDirectory } from '@collab-etl/harness/commands'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import { expect, test } from 'vitest'
import { PSQL } from './postgres/psql.ts'

// Figures of so little data are meaningless: this only checks that all benches run.

/** The lower bound needs `psql`, which may be missing. */
const FLOOR = spawnSync(PSQL, ['--version']).status === 0 ? ['copy'] : []

const server = postgresServer()
const ON_POSTGRES = [...FLOOR, 'naive', 'changed']
const BACKUPS = ['backup', 'backup-again', 'backup-again-bytes', 'verify', 'backup-memory', 'backup-memory-tenfold']
const FIGURES = [
  ...(server === null ? [] : ON_POSTGRES),
  ...['archived', 'archived-plain'],
  ...(server === null ? [] : BACKUPS),
]

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
    for (const name of FIGURES) expect(stdout).toMatch(new RegExp(`^${name} .* (holds|MISSES|faster) `, 'm'))
    const { results } = JSON.parse(await readFile(json, 'utf8'))
    expect(results.map((result: { name: string }) => result.name)).toEqual(FIGURES)
    const changed = results.find((result: { name: string }) => result.name === 'changed')
    // Of 200 tasks, two are changed, each with an item of its checklist.
    if (changed) expect(changed.runs[0].parts.otherRowsWritten).toBe(4)
  } finally {
    await database?.drop()
  }
})
