import { createHash, randomBytes } from 'node:crypto'
import { isAskableId, isShortenedId, MAX_ID_BYTES } from '@collab-etl/contract/id'
import { anyCharacter } from '@collab-etl/harness/any-character'
import { testEveryNth } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rowObjects, rowsOf } from '../src/records/rows-of.ts'
import { storedId } from '../src/records/text.ts'
import { TABLES } from '../src/tables/index.ts'
import type { Table } from '../src/tables/table.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { type Backend, onBackendsOfSlowTests } from './support/backends.ts'
import { everything } from './support/everything.ts'
import { comment, post, project, task, user } from './support/records.ts'
import { batch, knownIdsOf, liveColumn, publishIn, type Streams, snapshot } from './support/snapshot.ts'

/** Postgres keeps no longer row in an index of pages of 8 kB. */
const MAX_INDEX_ROW = 2704

const PID = 'p1'

/** Texts in indexes that are the tool's own words, and short. */
const OURS: ReadonlySet<string> = new Set(['run_id', 'stream', 'parent_kind', 'account'])

/** The key of a row in one text: besides the project, two ids at most. */
const KEY = 'record_key'

/** Six thousand characters, Chinese ones among them, that no compression makes short. */
const LONG = `${randomBytes(2000).toString('hex')}${Array.from(randomBytes(2000), (byte, at) =>
  String.fromCharCode(0x4e00 + ((byte * 80 + at) % 20_000)),
).join('')}`

/** The value of a column in the first row that the records make of a table. */
function valueIn(streams: Streams, table: Table, column: string): string {
  for (const [stream, { batches = [] }] of Object.entries(streams)) {
    for (const each of batches) {
      // as `everything` makes it
      const scope = { pid: PID, stream: stream as keyof Streams }
      const of = rowsOf(scope, each).tables.find((rows) => rows.table === table)
      const value = of && rowObjects(of)[0]?.[column]
      if (typeof value === 'string') return value
    }
  }
  throw new Error(`everything() has no record that fills ${table.name}.${column}: add one`)
}

/** Every text that is part of a table's key, by the value that it has in the first row: each value is one case. */
const KEYS = Map.groupBy(
  TABLES.flatMap((table) => {
    const isText = (name: string) => table.columns.find((column) => column.name === name)?.type === 'text'
    return table.key.filter((name) => isText(name) && !OURS.has(name)).map((column) => ({ table, column }))
  }),
  ({ table, column }) => valueIn(everything(), table, column),
)

/** The same records with a text in place of another wherever that is the whole of a value. */
function replaced<T>(value: T, from: string, to: string): T {
  const walk = (item: unknown): unknown => {
    if (item === from) return to
    if (item instanceof Date || typeof item !== 'object' || item === null) return item
    if (Array.isArray(item)) return item.map(walk)
    return Object.fromEntries(Object.entries(item).map(([name, each]) => [name, walk(each)]))
  }
  return walk(value) as T // the same shape
}

async function lossesOf(warehouse: Warehouse, runId: string): Promise<string[]> {
  const losses = (await warehouse.log.run(runId))?.losses ?? []
  return losses.filter(({ kind }) => kind === 'too_long').map(({ original }) => JSON.parse(original ?? ''))
}

describe('an id as it is stored', () => {
  const id = fc.string({ unit: anyCharacter, maxLength: 900 })

  test('fits into an index, and stays the same when it is stored again', () => {
    fc.assert(
      fc.property(id, (text) => {
        const stored = storedId(text)
        expect(Buffer.byteLength(stored)).toBeLessThanOrEqual(MAX_ID_BYTES)
        expect(stored.isWellFormed() && !stored.includes('\0')).toBe(true)
        expect(storedId(stored)).toBe(stored)
      }),
    )
  })

  test('is requested only if it is what the service sent', () => {
    fc.assert(fc.property(id, (text) => !isAskableId(text) || storedId(text) === text))
    const long = 'x'.repeat(MAX_ID_BYTES + 1)
    expect([isAskableId(long), isAskableId(storedId(long)), isAskableId('x'.repeat(MAX_ID_BYTES))]).toEqual([
      false,
      false,
      true,
    ])
    expect(['', '.', '..', 'a\0', '\ud800'].filter(isAskableId)).toEqual([])
  })

  test('is the beginning of a long one and a hash of the whole', () => {
    const long = `${'漢'.repeat(400)}`
    const digest = createHash('sha256').update(JSON.stringify(long)).digest('hex').slice(0, 32)
    expect(storedId(long)).toBe(`${'漢'.repeat(159)}…${digest}`)
    expect(isShortenedId(storedId(long))).toBe(true)
    expect(
      new Set([storedId(`${long}a`), storedId(`${long}b`), storedId(`${long}\ud800`), storedId(`${long}\udc00`)]).size,
    ).toBe(4)
  })
})

onBackendsOfSlowTests('long values in keys', (backend: Backend) => {
  const cases = [...KEYS].map(([value, columns]) => ({
    value,
    columns,
    names: [...new Set(columns.map(({ table, column }) => `${table.name}.${column}`))].slice(0, 3).join(', '),
  }))

  testEveryNth(cases, 6)('a long key in $names … is shortened and listed', async ({ value, columns }) => {
    const warehouse = await backend.warehouse()
    const pid = value === PID ? LONG : PID
    const input = () => replaced(everything(), value, LONG)
    const { scopes, run } = await snapshot(warehouse, input(), { pid })
    expect(scopes.filter(({ status }) => status !== 'complete')).toEqual([])
    for (const { table, column } of columns) {
      expect(await liveColumn(warehouse, table.name, column), table.name).toContain(storedId(LONG))
    }
    expect(await lossesOf(warehouse, run.id)).toContain(LONG)
    const { tables } = await snapshot(warehouse, input(), { pid })
    for (const counts of Object.values(tables)) expect(counts).toMatchObject({ inserted: 0, updated: 0, deleted: 0 })
  })

  test('several long ids that begin alike stay apart, in one list and in several records', async () => {
    const warehouse = await backend.warehouse()
    const [a, b] = [`${LONG}a`, `${LONG}b`]
    const labels = [a, b].map((name) => ({ name, desc: '' }))
    const { run } = await snapshot(warehouse, {
      tasks: { batches: [batch('task', [task(a, { labels, members: [user(a), user(b)] }), task(b, { labels })])] },
    })
    expect(await liveColumn(warehouse, 'tasks', 'tid')).toEqual([a, b].map(storedId).sort())
    expect(await liveColumn(warehouse, 'task_labels', 'tid')).toHaveLength(4)
    expect(await liveColumn(warehouse, 'users', 'uid')).toEqual([a, b].map(storedId).sort())
    expect((await warehouse.log.run(run.id))?.losses.map(({ kind }) => kind)).not.toContain('duplicate')
  })

  test('a post with a long id is stored, requested by that id alone, and marked when not found', async () => {
    const warehouse = await backend.warehouse()
    const read = {
      posts: {
        batches: [
          batch('known_post', [{ pid: 'p1', post_id: 's1', source: 'flag' }]),
          batch('known_post', [{ pid: 'p1', post_id: LONG, source: 'flag' }]),
          batch('post', [post(LONG), post('s1')]),
          batch('post_comment', [{ post_id: LONG, comment: comment(LONG, { fids: [LONG] }) }]),
        ],
      },
    }
    const { run } = await snapshot(warehouse, read)
    expect(await liveColumn(warehouse, 'posts', 'post_id')).toContain(storedId(LONG))
    expect(await knownIdsOf(warehouse, 'post', 'p1')).toEqual(['s1'])
    expect((await warehouse.log.run(run.id))?.losses.map(({ kind }) => kind)).toContain('unaskable')
    await snapshot(warehouse, { posts: { batches: [batch('not_found_post', [{ post_id: LONG }])] } })
    expect(await liveColumn(warehouse, 'posts', 'post_id')).toEqual(['s1'])
    expect(await liveColumn(warehouse, 'post_comments', 'cid')).toEqual([])
    await expect(warehouse.log.addKnown([{ kind: 'post', pid: 'p1', id: LONG, source: 'flag' }])).rejects.toMatchObject(
      {
        code: 'MISUSE',
      },
    )
  })

  test('a project with a long id keeps pages, is compared, read and marked deleted by it', async () => {
    const warehouse = await backend.warehouse()
    const pid = LONG
    await using _lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin({ baseUrl: '', toolVersion: '' })
    const store = run.archivedPages(pid)
    for (let page = 1; page <= 25; page++) await store.save({ page, size: 1, base: 1, ids: [`${page}`] })
    await publishIn(run, pid, { projects: { batches: [batch('project', [project(pid)])] } })
    await publishIn(run, 'p1', { projects: { batches: [batch('project', [project('p1')])] } })
    await run.finish({ status: 'interrupted', requests: 0, retries: 0, bytes: 0 })
    expect(await liveColumn(warehouse, 'projects', 'pid')).toEqual(['p1', storedId(pid)].sort())
    const next = await warehouse.runs.begin({ baseUrl: '', toolVersion: '', resumes: true })
    const found = { listed: new Set(['p1']), gone: new Set([pid]), readable: new Set<string>() }
    expect(await next.markAbsentProjects(found, { maxShrink: 1, allowShrink: true })).toMatchObject({
      deleted: [{ pid: storedId(pid) }],
    })
    await next.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
  })

  test('every index holds the longest key that can be stored', async () => {
    const warehouse = await backend.warehouse()
    const { rows } = await backend.driver.query(
      `SELECT i.indexrelid::regclass::text, a.attname, format_type(a.atttypid, NULL), c.relname
       FROM pg_index i CROSS JOIN unnest(i.indkey::int[]) AS k (attnum) JOIN pg_class c ON c.oid = i.indrelid
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
       JOIN pg_namespace n ON n.oid = c.relnamespace WHERE starts_with(n.nspname, $1)`,
      [warehouse.schema],
    )
    expect(rows.length).toBeGreaterThan(2 * TABLES.length)
    const ids = new Set([
      ...TABLES.flatMap(({ columns }) => columns.filter(({ collateC }) => collateC).map(({ name }) => name)),
      // of unread_items, where ids of any kind are shortened as well
      'item_id',
      // of unconfirmed_rows
      KEY,
    ])
    const texts = rows.filter(([, , type]) => type === 'text').map(([, column]) => String(column))
    expect(texts.filter((column) => !ids.has(column) && !OURS.has(column))).toEqual([])
    for (const [index, columns] of Map.groupBy(rows, ([name]) => String(name))) {
      const sizeOf = (column: unknown) => (column === KEY ? 2 : 1) * (MAX_ID_BYTES + 7)
      const size = columns.reduce((sum, [, column, type]) => sum + (type === 'text' ? sizeOf(column) : 15), 8)
      expect(size, index).toBeLessThanOrEqual(MAX_INDEX_ROW)
    }
  })
})
