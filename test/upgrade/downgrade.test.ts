/** @module-tag thorough */

import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backendsOfSlowTests } from '@collab-etl/harness/backends'
import { type Command, run } from '@collab-etl/harness/commands'
import { onServer } from '@collab-etl/harness/postgres'
import { PGlite } from '@electric-sql/pglite'
import { describe, expect, test } from 'vitest'
import { releases, unpackBackup } from './released.ts'

// A program that is older than the data: every command that would write or misread it is refused, and says what to do.

const NEWER = "INSERT INTO collab.schema_version (version, name) VALUES (999, 'of_a_later_version')"

const COMMANDS: readonly (readonly [Command, ...string[]])[] = [
  ['collab-extract', 'init'],
  ['collab-extract', 'snapshot'],
  ['collab-extract', 'compare'],
  ['collab-extract', 'docs'],
  ['collab-export', 'backup', '--out', 'backups'],
  ['collab-export', 'backup', '--out', 'backups', '--from', 'warehouse'],
  ['collab-nightly', '--out', 'backups', '--quiet'],
]

describe.each(backendsOfSlowTests())('a newer warehouse ($name)', (backend) => {
  test('is refused by every command that would use its tables, with what to do', async () => {
    await using warehouse = await backend.open()
    const { DATABASE_URL: url, COLLAB_DATA_DIR: dataDir } = warehouse.env
    if (url !== undefined) await onServer(url, NEWER)
    else {
      await using database = await PGlite.create(join(dataDir ?? '', 'warehouse'))
      await database.exec(NEWER)
    }
    const env = { ...warehouse.env, COLLAB_BASE_URL: 'http://127.0.0.1:9', COLLAB_TOKEN: 'unused' }
    const workers = [
      ['collab-extract', 'snapshot', '--workers', '1'],
      ['collab-extract', 'worker'],
    ] as const
    for (const [program, ...args] of [...COMMANDS, ...(url === undefined ? [] : workers)]) {
      const { code, stdout, stderr } = await run(program, args, { env })
      const line = expect.stringMatching(/has version 999, .*: use (?:the|a) newer /)
      expect({ args, code, line: (program === 'collab-nightly' ? stdout : stderr).trim() }).toEqual({
        args,
        code: 2,
        line,
      })
      if (program !== 'collab-nightly') expect(stderr.trim().split('\n')).toHaveLength(1)
    }
  })
})

test('a backup of a newer layout is refused by diff and restore, and verify still checks it', async () => {
  const { backup } = await unpackBackup(releases.at(-1) ?? '')
  // each file's digest is in the next one
  await edit(backup, 'data/backup.json', '"layout": 1', '"layout": 2', [
    'manifest-sha256.txt',
    'tagmanifest-sha256.txt',
  ])
  expect(await run('collab-export', ['verify', backup])).toMatchObject({ code: 0 })
  for (const args of [
    ['diff', backup, backup],
    ['restore', backup, '--to-project', 'p', '--dry-run'],
  ])
    expect(await run('collab-export', args)).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: expect.stringMatching(/^collab-export: .* has layout 2, .*: use the newer version of the tool [^\n]*\n$/),
    })
})

/** Replaces a text in a file, and the file's digest in the manifests. */
async function edit(bag: string, file: string, from: string, to: string, manifests: readonly string[]): Promise<void> {
  const path = join(bag, file)
  const text = await readFile(path, 'utf8')
  expect(text).toContain(from)
  const changed = text.replace(from, to)
  await writeFile(path, changed)
  const [manifest, ...others] = manifests
  if (manifest !== undefined) await edit(bag, manifest, digestOf(text), digestOf(changed), others)
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
