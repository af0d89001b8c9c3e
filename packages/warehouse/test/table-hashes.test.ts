import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TableSums } from '../src/rows/table-hashes.ts'
import type { TableName } from '../src/tables/table.ts'
import { onBothBackends } from './support/backends.ts'

const UID = { uid: 'u1', name: 'Ann', display_name: null, extra: null }

function sumOf(...rows: readonly Record<string, unknown>[]) {
  const sums = new TableSums()
  for (const row of rows) sums.add('users', row)
  return sums.of(['users'])
}

describe('the hash of a table', () => {
  test('is the same for rows in any order and for sums of any parts of them', () => {
    const rows = fc.array(
      fc.record({ uid: fc.string(), name: fc.option(fc.string()), extra: fc.dictionary(fc.string(), fc.integer()) }),
    )
    fc.assert(
      fc.property(rows, fc.nat(), (all, at) => {
        const whole = sumOf(...all)
        expect(sumOf(...all.toReversed())).toEqual(whole)
        const parts = new TableSums()
        const cut = at % (all.length + 1)
        parts.addAll(sumOf(...all.slice(cut)))
        parts.addAll(sumOf(...all.slice(0, cut)))
        expect(parts.of(['users'])).toEqual(whole)
      }),
    )
  })

  test.each([
    ['a value', { name: 'Bob' }],
    ['NULL for an empty text', { display_name: '' }],
    ['a value in another column', { name: null, display_name: 'Ann' }],
    ['an unknown field', { extra: { title: 'Dr' } }],
  ])('changes with %s', (_what, change) => {
    expect(sumOf({ ...UID, ...change })).not.toEqual(sumOf(UID))
  })

  test('does not depend on bookkeeping, presence, or the order of unknown fields', () => {
    const extra = { a: 1, b: [2] }
    expect(sumOf({ ...UID, extra: { b: [2], a: 1 }, online: 1, valid_from: 'now', row_version: '7' })).toEqual(
      sumOf({ ...UID, extra }),
    )
  })

  test('counts a row that comes twice as two', () => {
    expect(sumOf(UID, UID)).not.toEqual(sumOf(UID))
    expect(sumOf(UID, UID)['users']?.rows).toBe(2)
  })

  test('leaves out personal webhooks, which no backup holds', () => {
    const sums = new TableSums()
    sums.add('webhooks', { wid: 'w1', pid: 'p1', type: 1 })
    expect(sums.of(['webhooks'])).toEqual({ webhooks: { rows: 0, hash: '0'.repeat(64) } })
  })
})

/** Texts that COPY or JSON writes otherwise. */
const TEXTS = [
  '',
  '\\\\N',
  '\\N',
  'a\tb\nc\rd\be\ff\vg',
  '\u0001\u001f\u007f\u2028',
  '\uFEFF"quoted" \\\\n',
  '写文字 😀',
  ' NULL ',
]
const NUMBERS = [0, 1e21, 1e-7, 0.1, -1.5, 65_535, 123_456_789_012_345_680, 5e-324]
const TIMES = [
  '2024-01-02 03:04:05.678901',
  '2024-01-02 03:04:05.6',
  '0001-01-01',
  '9999-12-31 23:59:59.999',
  'infinity',
]

onBothBackends('the hashes of stored rows', (backend) => {
  test('are those of the rows as they are read, with unusual values of every type', async () => {
    const warehouse = await backend.warehouse()
    const fill = (table: string, columns: string, values: string) =>
      backend.driver.query(
        `INSERT INTO ${warehouse.schema}.${table} (${columns}, valid_from) SELECT ${values}, now()
         FROM unnest($1::text[], $2::float8[], $3::timestamptz[]) WITH ORDINALITY AS u (s, n, t, i)`,
        [TEXTS, NUMBERS, TIMES],
      )
    await fill(
      'tasks',
      'pid, tid, name, position, completed, due_at, todo_count',
      "'p1', 't' || i, s, n, i % 2 = 0, t, i",
    )
    await fill(
      'files',
      'pid, fid, description, size_bytes, owner_uid, extra',
      `'p1', s, s, 9007199254740990 + i, s, jsonb_build_object(s || 'é', ARRAY[s], 'a', n::text::numeric, 'B', NULL)`,
    )
    await fill('webhooks', 'wid, pid, actions, type', "s, 'p1', ARRAY[s, NULL, '{}', s || ','], i % 2")
    await fill('users', 'uid, name', 's, s')
    const tables: TableName[] = ['users', 'tasks', 'files', 'webhooks']
    const sums = new TableSums()
    for (const table of tables) for await (const row of warehouse.rows.of(table)) sums.add(table, row)
    const hashes = await warehouse.rows.hashes({ tables, pids: ['p1'] })
    expect(hashes).toEqual(sums.of(tables))
    expect(Object.values(hashes).map(({ rows }) => rows)).toEqual([8, 8, 8, 4])
    expect(await warehouse.rows.hashes({ tables: ['tasks'], pids: ['p2'] })).toEqual(new TableSums().of(['tasks']))
  })
})
