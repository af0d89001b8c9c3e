/** @module-tag thorough */

import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backendsOfSlowTests } from '@collab-etl/harness/backends'
import { type Command, run, scratchDirectory } from '@collab-etl/harness/commands'
import { onServer } from '@collab-etl/harness/postgres'
import { everyNth, testEveryNth, testThoroughly } from '@collab-etl/harness/thorough'
import { startSandbox } from '@collab-etl/sandbox'
import { PGlite } from '@electric-sql/pglite'
import { describe, expect, onTestFinished } from 'vitest'

// Warehouses and backups of other versions: every command that would write or misread one is refused, and says what to do.

const OTHERS = [
  {
    name: 'newer',
    sql: 'INSERT INTO collab.schema_version VALUES (999, now())',
    says: /has version 999, .*: use (?:the|a) newer /,
  },
  {
    name: 'unreleased',
    // a checksum of each migration, as versions before the first release stored it
    sql: 'ALTER TABLE collab.schema_version ADD COLUMN md5 text',
    says: /schema collab in .* was made by a version before the first release, .*: use another --schema or data directory/,
  },
] as const

const COMMANDS: readonly (readonly [Command, ...string[]])[] = [
  ['collab-extract', 'init'],
  ['collab-extract', 'snapshot'],
  ['collab-extract', 'compare'],
  ['collab-extract', 'docs'],
  ['collab-export', 'backup', '--out', 'backups'],
  ['collab-export', 'backup', '--out', 'backups', '--from', 'warehouse'],
  ['collab-nightly', '--out', 'backups', '--quiet'],
]

const WORKERS: typeof COMMANDS = [
  ['collab-extract', 'snapshot', '--workers', '1'],
  ['collab-extract', 'worker'],
]

describe.each(backendsOfSlowTests())('a warehouse of another version ($name)', (backend) => {
  testEveryNth(OTHERS, 2)(
    '$name: is refused by every command that would use its tables, with what to do',
    async (other) => {
      await using warehouse = await backend.open()
      const { DATABASE_URL: url, COLLAB_DATA_DIR: dataDir } = warehouse.env
      if (url !== undefined) await onServer(url, other.sql)
      else {
        await using database = await PGlite.create(join(dataDir ?? '', 'warehouse'))
        await database.exec(other.sql)
      }
      const env = { ...warehouse.env, COLLAB_BASE_URL: 'http://127.0.0.1:9', COLLAB_TOKEN: 'unused' }
      const commands = [...COMMANDS, ...(url === undefined ? [] : WORKERS)]
      for (const [program, ...args] of everyNth(commands, 3)) {
        const { code, stdout, stderr } = await run(program, args, { env })
        const line = (program === 'collab-nightly' ? stdout : stderr).trim()
        expect({ args, code, line }).toEqual({ args, code: 2, line: expect.stringMatching(other.says) })
        if (program !== 'collab-nightly') expect(line.split('\n')).toHaveLength(1)
      }
      const checked = await run('collab-extract', ['check', '--json'], { env })
      expect(JSON.parse(checked.stdout).checks).toContainEqual(
        expect.objectContaining({ name: 'schema', status: 'failed' }),
      )
    },
  )
})

testThoroughly('a backup of a newer layout is refused by diff and restore, and verify still checks it', async () => {
  await using scratch = await scratchDirectory()
  const sandbox = await startSandbox({ seed: 18, projects: 1, tasks: 3, pages: 3 })
  onTestFinished(() => sandbox.close())
  const env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token }
  const made = await run('collab-export', ['backup', '--from', 'api', '--out', scratch.path, '--json'], { env })
  const { backup } = JSON.parse(made.stdout)
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
      code: 2,
      stdout: '',
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
