import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { testThoroughly } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { EmbeddedDatabase } from '../src/driver/embedded-database.ts'
import { driverError } from '../src/driver/postgres-error.ts'
import { isWarehouseError } from '../src/errors.ts'
// what the harness provides is declared there
import type {} from './support/templates.ts'

describe('the embedded database', () => {
  let database: EmbeddedDatabase
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'embedded-'))
    await copyDirectory(inject('embeddedTemplate'), join(home, 'data'))
    database = await EmbeddedDatabase.open(join(home, 'data/warehouse'))
  })
  afterAll(async () => {
    await database.close()
    await rm(home, { recursive: true })
  })

  /** What a text, an array of it and a large row of it are when they come back. */
  async function returned(text: string): Promise<unknown> {
    const { rows } = await database.query('SELECT $1::text AS text, ARRAY[$1] AS list, repeat($1, 2000) AS long', [
      text,
    ])
    return rows
  }

  testThoroughly('returns texts as they were stored, also those that begin with U+FEFF', async () => {
    const beginning = fc.constantFrom('\uFEFF', '\uFEFF\uFEFF', '\uFFFE', '')
    const stored = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed())
    await fc.assert(
      fc.asyncProperty(beginning, stored, async (start, rest) => {
        const text = start + rest
        expect(await returned(text)).toEqual([{ text, list: [text], long: text.repeat(2000) }])
      }),
      { numRuns: 30 },
    )
  })

  test('reports an error with its code, and works on after it', async () => {
    const failed = database.query('SELECT 1 / $1::integer', [0])
    await expect(failed).rejects.toMatchObject({ code: '22012', message: 'division by zero' })
    await expect(database.exec('SELECT 1; SELECT missing; SELECT 2')).rejects.toMatchObject({
      code: '42703',
      position: '18',
    })
    const inTransaction = database.transaction((transaction) => transaction.query('SELECT missing'))
    const error = await inTransaction.catch((thrown: unknown) => driverError(thrown, 'here'))
    expect(isWarehouseError(error)).toBe(true)
    expect((await database.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  })
})
