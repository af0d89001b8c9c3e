import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freshDatabase, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWarehouse, type Warehouse } from '../src/index.ts'

const server = postgresServer()

const page = await readFile(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8')
const [, statements = ''] = /<!-- run: search indexes -->\n```sql\n(.*?)```/s.exec(page) ?? []

describe.runIf(server !== null)('trigram indexes that somebody added', () => {
  let database: TestDatabase
  let warehouse: Warehouse
  let client: pg.Client

  beforeAll(async () => {
    database = await freshDatabase(server ?? '')
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
    warehouse = await openWarehouse({ databaseUrl: database.url, dataDir: '', schema: 'collab' })
    await warehouse.migrate()
    // else the planner would read the table as a whole
    await client.query(
      `INSERT INTO collab.tasks (pid, tid, description, valid_from)
       SELECT 'many', n, repeat('Zzz ', 100), now() FROM generate_series(1, 3000) n`,
    )
    for (const statement of statements.split(/;\s*/)) if (statement !== '') await client.query(statement)
  })

  afterAll(async () => {
    await client.end()
    await database.drop()
  })

  // Letters of which some have another lower case at the end of a word, in Turkish, or in two characters
  const text = fc.string({
    unit: fc.constantFrom(...'aAbéÉеЕ项目计ßẞΣσςİıI%_\\ 1-', 'Straße', 'ΟΔΟΣ', '项目计划'),
    maxLength: 12,
  })
  const words = fc.array(
    fc.tuple(
      text.filter((word) => word.trim() !== ''),
      fc.constantFrom('as is', 'lower', 'upper'),
    ),
    { minLength: 1, maxLength: 3 },
  )

  test('choose the texts to look at, and the search finds the same records', { tags: 'thorough' }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 8 }), words, async (tasks, asked) => {
        const query = asked
          .map(([word, form]) => (form === 'lower' ? word.toLowerCase() : form === 'upper' ? word.toUpperCase() : word))
          .map((word) => `"${word}"`)
          .join(' ')
        await client.query(`DELETE FROM collab.tasks WHERE pid = 'p1'`)
        await client.query(
          `INSERT INTO collab.tasks (pid, tid, name, description, valid_from)
           SELECT 'p1', t.number, t.name, t.description, now() FROM unnest($1::text[], $2::text[], $3::text[]) AS t (number, name, description)`,
          [
            tasks.map((_, index) => String(index)),
            tasks.map(([name]) => name),
            tasks.map(([, description]) => description),
          ],
        )
        const { items } = await (await warehouse.lookup()).search({ query }, { offset: 0, limit: 100 })
        const expected = tasks.flatMap((texts, index) => (hasAll(query, texts) ? [String(index)] : []))
        expect(items.map(({ id }) => id).sort()).toEqual(expected)
      }),
      { numRuns: times(15, 150) },
    )
    // its sessions tell the server's statistics when they end
    await warehouse.close()
    const { rows } = await client.query(
      `SELECT idx_scan::int AS scans FROM pg_stat_user_indexes WHERE indexrelname = 'search_tasks'`,
    )
    expect(rows[0]?.scans).toBeGreaterThan(0)
  })
})

/** What the search promises: every word in the title or in the text, as typed, in lower case, in capitals, or capitalised. */
function hasAll(query: string, texts: readonly string[]): boolean {
  const terms = [...query.matchAll(/"([^"]+)"/g)].map(([, word = '']) => word.trim())
  const ascii = (value: string) => value.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return terms.every((term) => {
    const lower = term.toLowerCase()
    const [first = ''] = lower
    const forms = [term, lower, term.toUpperCase(), first.toUpperCase() + lower.slice(first.length)].map(ascii)
    return forms.some((form) => texts.some((value) => ascii(value).includes(form)))
  })
}
