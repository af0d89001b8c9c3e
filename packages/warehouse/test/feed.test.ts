import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { feedStatement } from '../src/changes/feed-statement.ts'
import { FEED_TABLES, type FeedTable } from '../src/changes/feed-tables.ts'
import type { Connection } from '../src/driver/driver.ts'
import { schemaNames } from '../src/names.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { analysisData } from './analysis/data.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { expectChanges } from './support/changes-check.ts'
import { addVersions, history, isRun, MOMENTS, SHAPES } from './support/random-versions.ts'
import { page } from './support/records.ts'
import { batch, inRun, publishIn, snapshot } from './support/snapshot.ts'

type Record_ = Readonly<Record<string, unknown>>

/** Those that get histories. */
const CHANGED = FEED_TABLES.filter(({ name }) => name in SHAPES)
const names = ({ columns }: FeedTable) => columns.map(({ name }) => name)

/** A target that keeps one row per key, as those of databases do. */
type Target = Map<string, Record_>

onBackendsInTurn('feed', (backend) => {
  const given = analysisData(backend)

  test('after any history, changes are those of the states, and a target has the last rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(history, { minLength: 40, maxLength: 80 }), async (histories) => {
        await given.data.atOneMoment(async (data) => {
          await data.addRuns(MOMENTS.filter(isRun))
          for (const [id, { table, states }] of histories.entries()) await addVersions(data, table, id, states)
          await expectChanges(data.connection, data.warehouse.schema, MOMENTS)
          for (const table of CHANGED) await expectFeeds(data.connection, data.warehouse.schema, table)
        })
      }),
      { numRuns: times(1, 20) },
    )
  })
})

/** From nothing, and from the state of each run, to that of each later one; rows of later runs are there as well, as of one under way. */
async function expectFeeds(connection: Connection, schema: string, table: FeedTable): Promise<void> {
  const runs = MOMENTS.filter(isRun)
  for (const [index, until] of runs.entries()) {
    const wanted = await existing(connection, schema, table, until)
    for (const since of [undefined, ...runs.slice(0, index)]) {
      const target: Target = since === undefined ? new Map() : await existing(connection, schema, table, since)
      const sent = await linesOf(
        connection,
        feedStatement(schemaNames(schema), { table, columns: names(table), since, until }, '', ''),
      )
      const keys = sent.map((record) => keyOf(table, record))
      expect(keys, 'sorted, each key once').toEqual([...new Set(keys)].sort(byBytes))
      for (const record of sent) {
        expect(Date.parse(String(record['changed_at']))).toBeGreaterThan(Date.parse(since ?? '1970-01-01'))
        if (since === undefined || record['_sdc_deleted_at'] === null) target.set(keyOf(table, record), record)
        else target.delete(keyOf(table, record))
      }
      const live = [...target].filter(([, record]) => (record['_sdc_deleted_at'] ?? null) === null)
      const shown = live.map(([key, { changed_at: _c, _sdc_deleted_at: _d, ...row }]) => [key, row])
      expect(Object.fromEntries(shown), `${table.name} from ${since} to ${until}`).toEqual(Object.fromEntries(wanted))
    }
  }
}

async function existing(connection: Connection, schema: string, table: FeedTable, at: string): Promise<Target> {
  const own = names(table).filter((name) => name !== 'changed_at' && name !== '_sdc_deleted_at')
  const { rows } = await connection.query(
    `SELECT row_to_json(r)::text FROM (SELECT ${own.join(', ')} FROM ${schema}.${table.name}_as_of($1::timestamptz)) r`,
    [at],
  )
  const records = rows.map(([text]): Record_ => JSON.parse(String(text)))
  return new Map(records.map((record) => [keyOf(table, record), record]))
}

async function linesOf(connection: Connection, statement: string): Promise<Record_[]> {
  const { rows } = await connection.query(statement)
  return rows.map(([line]) => JSON.parse(String(line)))
}

const keyOf = ({ key }: FeedTable, record: Record_) => key.map((name) => String(record[name])).join('\u0001')
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

onBackendsInTurn('feed of runs', (backend) => {
  test('a run under way is left out, until it has ended or died', async () => {
    const warehouse = await backend.warehouse()
    const pages = (content: string) => ({
      pages: { batches: [batch('page', [page('g1', { content, watchers: [] })])] },
    })
    const first = await snapshot(warehouse, pages('one'))
    const { point } = await warehouse.rows.feedState()
    expect(point).toMatchObject({ runId: first.run.id })
    const lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3' })
    await publishIn(run, 'p1', pages('two'))
    expect(await warehouse.rows.feedState()).toEqual({ point, underWay: run.id })
    expect(await contents(warehouse)).toEqual(['one'])
    await lock[Symbol.asyncDispose]()
    await inRun(warehouse, async () => {})
    expect(await warehouse.rows.feedState()).toMatchObject({ underWay: null })
    expect(await contents(warehouse, point?.startedAt)).toEqual(['two'])
    expect(await warehouse.rows.feedPoint(first.run.id)).toEqual(point)
    expect(await warehouse.rows.feedPoint('none')).toBeNull()
  })

  test('texts of any characters and times of any year are whole lines of exact JSON', async () => {
    const warehouse = await backend.warehouse()
    const content = `"\\\u0001\u0002\u007f\u2028\\.\n\r\t,字\u{1f600}`
    const changed = page('g1', {
      content,
      watchers: [],
      created_at: '0001-01-01T00:00:00.001Z',
      updated_at: '9999-12-31T23:59:59.999Z',
    })
    await snapshot(warehouse, { pages: { batches: [batch('page', [changed])] } })
    const [record] = await feed(warehouse, 'pages')
    expect(record).toMatchObject({
      content,
      created_at: '0001-01-01T00:00:00.001+00:00',
      updated_at: '9999-12-31T23:59:59.999+00:00',
      extra: null,
      _sdc_deleted_at: null,
    })
  })

  test('accounts and what they saw are sent whole each time', async () => {
    const warehouse = await backend.warehouse()
    const [account, pid] = ['anna', 'p1']
    const of = { uid: null, name: null, projects: 1, read: null, error: null, offered: null }
    const seen = { curr_role: null, permission: 15, is_starred: true, position: 0.5 }
    const { startedAt } = await inRun(warehouse, async (run) => {
      await run.noteAccounts([{ account, ...of }])
      await run.noteProjectAccounts([{ pid, account, ...seen }])
      return run
    })
    const since = startedAt.toISOString()
    expect(await feed(warehouse, 'accounts', since)).toMatchObject([{ account, uid: null, name: null }])
    expect(await feed(warehouse, 'project_accounts', since)).toMatchObject([{ pid, account, ...seen }])
  })

  test('lines that are not taken end the feed; the warehouse can be used after it', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1', { watchers: [] })])] } })
    const { point } = await warehouse.rows.feedState()
    if (point === null) throw new Error('no run has ended')
    const options = { table: 'pages', columns: ['pid', 'page_id'], until: point, before: '', after: '' } as const
    await expect(warehouse.rows.feed(options, () => Promise.reject(new Error('enough')))).rejects.toThrow('enough')
    await expect(warehouse.rows.feed({ ...options, columns: ['none'] }, async () => {})).rejects.toThrow(
      'no column none',
    )
    const repaired = { ...point, startedAt: '2001-01-01T00:00:00+00:00' }
    await expect(warehouse.rows.feed({ ...options, until: repaired }, async () => {})).rejects.toMatchObject({
      code: 'STALE',
    })
    expect(await feed(warehouse, 'pages')).toHaveLength(1)
  })
})

const contents = async (warehouse: Warehouse, since?: string) =>
  (await feed(warehouse, 'pages', since)).map(({ content }) => content)

async function feed(warehouse: Warehouse, name: FeedTable['name'], since?: string): Promise<Record_[]> {
  const { point } = await warehouse.rows.feedState()
  const table = FEED_TABLES.find((each) => each.name === name)
  if (point === null || table === undefined) throw new Error('nothing to read')
  let text = ''
  const count = await warehouse.rows.feed(
    { table: name, columns: names(table), since, until: point, before: '', after: '' },
    async (lines) => {
      expect(lines.at(-1)).toBe(10)
      text += lines.toString()
    },
  )
  const lines = text.split('\n').slice(0, -1)
  expect(lines).toHaveLength(count)
  return lines.map((line) => JSON.parse(line))
}
