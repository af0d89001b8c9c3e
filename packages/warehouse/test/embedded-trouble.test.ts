import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, rm, symlink, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { openEmbedded } from '../src/driver/embedded.ts'
// what the harness provides is declared there
import type {} from './support/templates.ts'

let home: string
let path: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'warehouse-trouble-'))
  path = join(home, 'data')
  await copyDirectory(inject('embeddedTemplate'), path)
})
afterEach(() => rm(home, { recursive: true, force: true }))

const LOCKED = { code: 'LOCKED', message: expect.stringContaining('is in use by') }

test('a statement that overflows the stack stops the database, and what was stored is kept', async () => {
  const driver = await openEmbedded(path)
  await driver.script('CREATE TABLE t (n integer); INSERT INTO t VALUES (1)')
  const stopped = { code: 'QUERY', message: expect.stringContaining('stopped: a statement is nested too deeply') }
  const deep = `INSERT INTO t SELECT 1${' + 1'.repeat(50_000)}`
  await expect(
    driver.transaction((session) => session.script(`INSERT INTO t VALUES (2); ${deep}`)),
  ).rejects.toMatchObject(stopped)
  await expect(driver.query('SELECT n FROM t')).rejects.toMatchObject(stopped)
  await driver.close()
  const next = await openEmbedded(path)
  expect((await next.query('SELECT n FROM t')).rows).toEqual([[1]])
  await next.close()
})

describe('the lock of the embedded warehouse', () => {
  test('holds when its file is removed: no other process enters, and the owner stops', async () => {
    const owner = await openEmbedded(path)
    await owner.script('CREATE TABLE t (n integer)')
    await rm(join(path, 'warehouse.lock'))
    await expect(openEmbedded(path)).rejects.toMatchObject(LOCKED)
    await expect(owner.query('INSERT INTO t VALUES (1)')).rejects.toMatchObject({ code: 'LOCK_LOST' })
    await expect(owner.transaction((session) => session.script('DROP TABLE t'))).rejects.toMatchObject({
      code: 'LOCK_LOST',
    })
    await owner.close()
    const next = await openEmbedded(path)
    expect((await next.query('SELECT count(*)::int FROM t')).rows).toEqual([[0]])
    await next.close()
  })

  test('lost inside a transaction: neither its rows nor its rollback are written', async () => {
    const owner = await openEmbedded(path)
    await owner.script('CREATE TABLE t (n integer)')
    const failed = owner.transaction(async (session) => {
      await session.script('INSERT INTO t VALUES (1); CREATE TABLE u (n integer)')
      await rm(join(path, 'warehouse.lock'))
    })
    await expect(failed).rejects.toMatchObject({ code: 'LOCK_LOST' })
    await owner.close()
    const next = await openEmbedded(path)
    expect((await next.query("SELECT count(*)::int, to_regclass('u') FROM t")).rows).toEqual([[0, null]])
    await next.close()
  })

  test('holds by every path to the directory, and in a copy of hard links', async () => {
    const owner = await openEmbedded(path)
    await symlink(path, join(home, 'other'))
    await expect(openEmbedded(join(home, 'other'))).rejects.toMatchObject(LOCKED)
    execFileSync('cp', ['-al', path, join(home, 'linked')])
    await rm(join(home, 'linked', 'warehouse.lock'))
    await expect(openEmbedded(join(home, 'linked'))).rejects.toMatchObject(LOCKED)
    await owner.close()
  })

  test('is not copied with the directory', async () => {
    const owner = await openEmbedded(path)
    await copyDirectory(path, join(home, 'copy'))
    await (await openEmbedded(join(home, 'copy'))).close()
    await owner.close()
  })
})

describe('a damaged embedded database', () => {
  test.each([
    ['the control file is empty', () => truncate(join(path, 'warehouse/global/pg_control'))],
    ['the version file is empty', () => truncate(join(path, 'warehouse/PG_VERSION'))],
    ['the commit log is gone', () => rm(join(path, 'warehouse/pg_xact'), { recursive: true })],
    ['the write-ahead log is gone', () => rm(join(path, 'warehouse/pg_wal'), { recursive: true })],
  ])('is named as such, with what to do: %s', async (_, damage) => {
    await damage()
    await expect(openEmbedded(path)).rejects.toMatchObject({
      code: 'DATA_DIR',
      message: expect.stringMatching(
        /database files are damaged .*; put back a copy of the directory, or move it away/,
      ),
    })
    expect(await readdir(path)).toEqual(['warehouse'])
  })
})
