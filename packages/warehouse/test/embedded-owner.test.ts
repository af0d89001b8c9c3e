import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openEmbedded } from '../src/driver/embedded.ts'
// what the harness provides is declared there
import type {} from './support/templates.ts'

/** Of an unprivileged user, on every system. */
const ID = 65_534

const WORK = 'CREATE TABLE t (n integer); INSERT INTO t VALUES (1); CHECKPOINT'

/** Opens each directory as that user: rows, or the error. */
const OPEN = `
  import { openEmbedded } from ${JSON.stringify(join(import.meta.dirname, '../src/driver/embedded.ts'))}
  const outcomes = []
  for (const path of process.argv.slice(1)) {
    try {
      const driver = await openEmbedded(path, { mustExist: true })
      outcomes.push((await driver.query('SELECT n FROM t')).rows)
      await driver.close()
    } catch ({ code, message }) {
      outcomes.push({ code, message })
    }
  }
  console.log(JSON.stringify(outcomes))`

describe.runIf(process.getuid?.() === 0)('an embedded warehouse of another user than root', () => {
  let home: string
  const path = (name: string) => join(home, name)

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'warehouse-owner-'))
    chmodSync(home, 0o755)
    for (const name of ['worked', 'looked']) {
      await copyDirectory(inject('embeddedTemplate'), path(name))
      give(path(name))
    }
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  test('stays that of its owner while root works in it', async () => {
    const driver = await openEmbedded(path('worked'))
    await driver.script(WORK)
    expect(othersIn(path('worked'))).toEqual([])
    await driver.close()
    expect(othersIn(path('worked'))).toEqual([])
  })

  testThoroughly('opens for its owner after root; a file that it cannot open is named with the remedy', async () => {
    const driver = await openEmbedded(path('looked'))
    await driver.script(WORK)
    await driver.close()
    for (const name of ['file', 'closed']) await copyDirectory(path('looked'), path(name))
    give(path('file'))
    chownSync(path('file/warehouse/pg_logical/replorigin_checkpoint'), 0, 0)
    chmodSync(path('closed'), 0o700)
    const run = ['--input-type=module', '--eval', OPEN, ...['looked', 'file', 'closed'].map(path)]
    const outcomes: unknown = JSON.parse(execFileSync(process.execPath, run, { uid: ID, gid: ID, encoding: 'utf8' }))
    const refused = (message: unknown) => ({ code: 'DATA_DIR', message })
    const rights = `chown -R ${ID}:${ID} ${path('file')} && chmod -R u+rwX ${path('file')}`
    expect(outcomes).toEqual([
      [[1]],
      refused(
        `the embedded warehouse cannot be opened in ${path('file')}: could not open file "pg_logical/replorigin_checkpoint": ` +
          `Permission denied; give its files back to their owner: ${rights}`,
      ),
      refused(expect.stringMatching(/: EACCES: .*; it belongs to the user with id 0: run as that user$/)),
    ])
  })
})

function give(directory: string): void {
  for (const each of [directory, ...below(directory)]) chownSync(each, ID, ID)
}

/** What does not belong to the user. */
function othersIn(directory: string): string[] {
  return below(directory).filter((each) => lstatSync(each).uid !== ID)
}

function below(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name))
}
