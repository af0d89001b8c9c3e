import { expect, test } from 'vitest'
import { COPY_HEADER, COPY_TRAILER } from '../src/driver/binary-rows.ts'
import { unframed } from '../src/driver/copy-pieces.ts'
import type { Transaction } from '../src/driver/driver.ts'
import { onBothBackends } from './support/backends.ts'

test.each([1, 2, 3, 19, 20, 64])('header and trailer of a COPY are left out of pieces of %i bytes', async (size) => {
  for (const rows of ['', 'a', 'ab', 'a longer row']) {
    const copy = Buffer.concat([COPY_HEADER, Buffer.from(rows), COPY_TRAILER])
    async function* pieces() {
      for (let at = 0; at < copy.length; at += size) yield copy.subarray(at, at + size)
    }
    const left: Buffer[] = []
    for await (const piece of unframed(pieces())) left.push(piece)
    expect(Buffer.concat(left).toString()).toBe(rows)
  }
})

onBothBackends('a table that is copied', (backend) => {
  const TABLE = 'public.copied'
  const COLUMNS = 'id, text, at, list'
  const fill = `CREATE TABLE ${TABLE} (id integer, text text, at timestamptz, list text[]);
    INSERT INTO ${TABLE} SELECT i, CASE WHEN i % 700 = 0 THEN (SELECT string_agg(md5((i * j)::text), '') FROM generate_series(1, 40000) j) ELSE repeat('é', i % 90) END,
      CASE WHEN i % 3 = 0 THEN NULL ELSE 'epoch'::timestamptz + i * interval '1 hour' END, ARRAY['a', NULL, i::text] FROM generate_series(1, 4000) i;
    DELETE FROM ${TABLE} WHERE id % 5 = 0 OR id BETWEEN 1000 AND 2500`

  test('has the same rows in the same order, those with long texts too', async () => {
    const { driver } = backend
    await driver.script(fill)
    const copy = async (reading: Transaction, writing: Transaction) => {
      await writing.script(`CREATE TABLE public.copy (LIKE ${TABLE})`)
      return await writing.copyIn('public.copy', COLUMNS, reading.copyTable(TABLE, COLUMNS))
    }
    const count = await driver.transaction((reading) =>
      // the embedded database has one session
      backend.kind === 'embedded' ? copy(reading, reading) : driver.transaction((writing) => copy(reading, writing)),
    )
    const digest = (table: string) =>
      driver.query(`SELECT count(*)::integer, md5(string_agg(md5(t::text), '' ORDER BY ctid)) FROM ${table} t`)
    expect(await digest('public.copy')).toEqual(await digest(TABLE))
    expect((await digest('public.copy')).rows[0]?.[0]).toBe(count)
    await driver.script(`DROP TABLE ${TABLE}, public.copy`)
  })

  test('may be left in the middle, and the next statement works', async () => {
    const { driver } = backend
    await driver.script(fill)
    const left = driver.transaction(
      async (reading) => {
        for await (const piece of reading.copyTable(TABLE, 'id, text'))
          throw new Error(`enough after ${piece.length > 0}`)
      },
      { readOnly: true },
    )
    await expect(left).rejects.toThrow('enough after true')
    expect((await driver.query('SELECT 1')).rows).toEqual([[1]])
    await driver.script(`DROP TABLE ${TABLE}`)
  })

  test('has the rows of its partitions', async () => {
    const { driver } = backend
    await driver.script(
      `CREATE TABLE public.parted (id integer) PARTITION BY RANGE (id); CREATE TABLE public.low PARTITION OF public.parted FOR VALUES FROM (0) TO (5);
       CREATE TABLE public.high PARTITION OF public.parted DEFAULT; INSERT INTO public.parted SELECT generate_series(0, 9)`,
    )
    const sizes = await driver.transaction(async (reading) => {
      const pieces: Buffer[] = []
      for await (const piece of reading.copyTable('public.parted', 'id')) pieces.push(piece)
      return Buffer.concat(pieces).length
    })
    expect(sizes).toBe(10 * (2 + 4 + 4))
    await driver.script('DROP TABLE public.parted')
  })
})
