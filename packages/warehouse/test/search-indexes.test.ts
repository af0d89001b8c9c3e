import { freshDatabase, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
import { everyNth, times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWarehouse, type Warehouse } from '../src/index.ts'

const server = postgresServer()

/**
 * Tasks beside those of a test, one an hour, half of them with the word `Zzz`, and the first half with `bygone`: more than the search
 * looks at before it asks an index, also of their project, and more with `bygone` than it reads at once.
 */
const OTHERS = 10_100

describe.runIf(server !== null)('search indexes', () => {
  let database: TestDatabase
  let client: pg.Client
  /** The same records in two schemas: with indexes, and without. */
  let indexed: Warehouse
  let plain: Warehouse

  beforeAll(async () => {
    database = await freshDatabase(server ?? '')
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const open = (schema: string) => openWarehouse({ databaseUrl: database.url, dataDir: '', schema })
    indexed = await open('collab')
    plain = await open('plain')
    for (const warehouse of [indexed, plain]) {
      await warehouse.migrate()
      await client.query(
        `INSERT INTO ${warehouse.schema}.tasks (pid, tid, name, description, updated_at, valid_from)
         SELECT 'many', n, CASE WHEN n % 2 = 0 THEN 'Zzz common' END, CASE WHEN n <= ${OTHERS / 2} THEN 'bygone ' ELSE '' END || 'words of many tasks, all alike',
           timestamptz '2025-01-01' + n * interval '1 h', now()
         FROM generate_series(1, ${OTHERS}) n`,
      )
    }
    await (await indexed.searchIndexes()).create(() => {})
  })

  afterAll(async () => {
    await indexed.close()
    await plain.close()
    await client.end()
    await database.drop()
  })

  /** Replaces the records of the test, in both schemas. */
  async function store(tasks: readonly Texts[]): Promise<void> {
    for (const { schema } of [indexed, plain]) {
      await client.query(`DELETE FROM ${schema}.tasks WHERE pid <> 'many'`)
      await client.query(
        `INSERT INTO ${schema}.tasks (pid, tid, name, description, updated_at, valid_from)
         SELECT 'p1', t.number, t.name, t.description, timestamptz '2025-01-01' + t.hours * interval '1 h', now()
         FROM unnest($1::text[], $2::text[], $3::text[], $4::int[]) AS t (number, name, description, hours)`,
        [
          tasks.map((_, index) => String(index)),
          tasks.map(([name]) => name),
          tasks.map(([, description]) => description),
          tasks.map(([, , hours]) => hours),
        ],
      )
    }
  }

  const searched = async (warehouse: Warehouse, query: string, offset = 0, limit = 100, pid?: string) =>
    (await warehouse.lookup()).search({ query, kinds: ['task'], ...(pid && { pid }) }, { offset, limit })

  // Letters of which some have another lower case at the end of a word, in Turkish, or in two characters
  const text = fc.string({
    unit: fc.constantFrom(...'aAbqéÉеЕ项目计ßẞΣσςİıI9%_\\ 1-😀', 'Straße', 'ΟΔΟΣ', '项目计划', 'abq', 'Zzz', 'bygone'),
    maxLength: 12,
  })
  const tasksOf = fc.array(fc.tuple(text, text, fc.option(fc.integer({ min: -9, max: OTHERS + 9 }))), {
    minLength: 1,
    maxLength: 8,
  })
  const words = fc.array(
    fc.tuple(
      text.filter((word) => word.trim() !== ''),
      fc.constantFrom('as is', 'lower', 'upper'),
    ),
    { minLength: 1, maxLength: 3 },
  )

  test('the same records are found in the same order as without', { tags: 'thorough' }, async () => {
    await fc.assert(
      fc.asyncProperty(tasksOf, words, fc.constantFrom(undefined, 'p1', 'many'), async (tasks, asked, pid) => {
        const query = asked
          .map(([word, form]) => (form === 'lower' ? word.toLowerCase() : form === 'upper' ? word.toUpperCase() : word))
          .map((word) => `"${word}"`)
          .join(' ')
        await store(tasks)
        const found = await searched(indexed, query, 0, 100, pid)
        expect(found).toEqual(await searched(plain, query, 0, 100, pid))
        const isAsked = pid !== 'many'
        const expected = tasks.flatMap((texts, index) => (isAsked && hasAll(query, texts) ? [String(index)] : []))
        const own = found.items.filter(({ pid }) => pid === 'p1').map(({ id }) => id)
        if (!found.hasMore) expect(own.sort()).toEqual(expected)
      }),
      { numRuns: times(6, 200) },
    )
  })

  test('pages of a list of common words continue each other', { tags: 'thorough' }, async () => {
    await store([
      ['only zzz', 'old, and many words', -5],
      ['', 'Zzz, and many words without a date', null],
    ])
    const all = (await searched(plain, 'zzz many', 0, OTHERS)).items
    expect(all).toHaveLength(OTHERS / 2 + 2)
    for (const offset of everyNth([0, 1, 99, 700, 100, 101, OTHERS / 2 - 3, 999, 1000], 3)) {
      const { items, hasMore } = await searched(indexed, 'zzz many', offset, 50)
      expect([items, hasMore]).toEqual([all.slice(offset, offset + 50), offset + 50 < all.length])
    }
  })

  test('a word of many old records is found in the last days that have it', async () => {
    await store([
      ['Bygone', 'in the title', -5],
      ['', 'bygone, without a date', null],
      ['', 'bygone, with a wrong date', 24 * 365 * 8000],
    ])
    for (const [query, offset] of [
      ['bygone', 0],
      ['bygone', 90],
      ['bygone', OTHERS / 2 - 5],
      ['bygone words', OTHERS / 4 - 5],
    ] as const)
      expect(await searched(indexed, query, offset)).toEqual(await searched(plain, query, offset))
  })

  test('a text of more than a megabyte is stored and found', async () => {
    await store([['long', `${'x '.repeat(500_001)}needle`, 1]])
    const { items } = await searched(indexed, 'needle')
    expect(items.map(({ id }) => id)).toEqual(['0'])
  })

  test('the indexes are used: rare words do not look at every text', async () => {
    await store([['rare', 'qv 稀 稀有', -5]])
    const queries = ['rare', 'qv', 'q', '稀', '稀有', 'absent', '无有']
    for (const pid of [undefined, 'many']) {
      const before = await scans('tasks_search')
      for (const query of queries) await searchedBySession(query, pid)
      await expect.poll(() => scans('tasks_search')).toBeGreaterThanOrEqual(before + queries.length)
    }
    expect(await scans('tasks_search_order')).toBeGreaterThanOrEqual(2 * queries.length)
  })

  /** Sessions report their statistics when they end. */
  async function searchedBySession(query: string, pid?: string): Promise<void> {
    const warehouse = await openWarehouse({ databaseUrl: database.url, dataDir: '', schema: 'collab' })
    await searched(warehouse, query, 0, 100, pid)
    await warehouse.close()
  }

  async function scans(index: string): Promise<number> {
    const { rows } = await client.query(
      `SELECT idx_scan::int AS scans FROM pg_stat_user_indexes WHERE indexrelname = $1`,
      [index],
    )
    return rows[0]?.scans
  }
})

/** Title, text, and the hour of the last change. */
type Texts = readonly [name: string, description: string, hours: number | null]

/** What the search promises: every word in the title or in the text, as typed, in lower case, in capitals, or capitalised. */
function hasAll(query: string, [name, description]: Texts): boolean {
  const terms = [...query.matchAll(/"([^"]+)"/g)].map(([, word = '']) => word.trim())
  const ascii = (value: string) => value.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return terms.every((term) => {
    const lower = term.toLowerCase()
    const [first = ''] = lower
    const forms = [term, lower, term.toUpperCase(), first.toUpperCase() + lower.slice(first.length)].map(ascii)
    return forms.some((form) => [name, description].some((value) => ascii(value).includes(form)))
  })
}
