import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freshDatabase, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWarehouse, type Warehouse } from '../src/index.ts'

const server = postgresServer()

const page = await readFile(join(import.meta.dirname, '../../../docs/assistants.md'), 'utf8')

/** Tasks beside those of a test, one an hour, half of them with the word `Zzz`: so many that Postgres uses an index for rare words. */
const OTHERS = 10_000

describe.runIf(server !== null)('the search with the indexes of docs/assistants.md', () => {
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
      await warehouse.admin.migrate()
      await client.query(
        `INSERT INTO ${warehouse.schema}.tasks (pid, tid, name, description, updated_at, valid_from)
         SELECT 'many', n, CASE WHEN n % 2 = 0 THEN 'Zzz common' END, 'words of many tasks, all alike',
           timestamptz '2025-01-01' + n * interval '1 h', now()
         FROM generate_series(1, ${OTHERS}) n`,
      )
    }
    const [, sql = ''] = /```sql\n(CREATE EXTENSION[\s\S]*?)```/.exec(page) ?? []
    for (const statement of sql.split(';\n')) await client.query(statement)
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
    unit: fc.constantFrom(...'aAbqéÉеЕ项目计ßẞΣσςİıI9%_\\ 1-😀', 'Straße', 'ΟΔΟΣ', '项目计划', 'abq', 'Zzz'),
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

  test('the indexes are used: rare words do not look at every text', async () => {
    await store([['rare', 'needle', -5]])
    const before = await scans()
    for (const query of ['rare', 'needle', 'absent', 'zzz absent']) {
      // sessions report their statistics when they end
      const warehouse = await openWarehouse({ databaseUrl: database.url, dataDir: '', schema: 'collab' })
      expect(await searched(warehouse, query)).toEqual(await searched(plain, query))
      await warehouse.close()
    }
    await expect.poll(scans).toBeGreaterThanOrEqual(before + 4)
  })

  async function scans(): Promise<number> {
    const { rows } = await client.query(
      "SELECT idx_scan::int AS scans FROM pg_stat_user_indexes WHERE indexrelname = 'tasks_search'",
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
