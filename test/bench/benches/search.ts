import { run } from '@collab-etl/harness/commands'
import type { Bench } from '../bench.ts'
import { startAssistant } from '../measured/search.ts'
import { environment, initialise } from '../measured/snapshot.ts'
import { dropSchemas, SCHEMAS, settle } from '../postgres/database.ts'
import { psql } from '../postgres/psql.ts'

const NIGHTS = 12

/** What is searched for, and the most results: a page has 20. */
const SEARCHES: Readonly<Record<string, number>> = {
  needle: 5,
  absentee: 0,
  everywhere: 20,
  'evenly threefold': 20,
  // each in half of the tasks, but no task has both
  'evenly oddly': 0,
  '"everywhere there"': 20,
  qv: 5,
  项目: 20,
  项: 20,
  稀有: 5,
  稀: 5,
  无穷: 0,
  'everywhere 项目': 20,
  'evenly 稀有': 5,
  'project 计划': 20,
}

/** Full-text search of a warehouse with search indexes, by the tool of `collab-mcp`. */
export const search: Bench = {
  figures: [
    {
      name: 'search',
      what: `slowest of ${Object.keys(SEARCHES).length} searches in 2,000,000 tasks after 12 nights of 1 % changes`,
      unit: 's',
      limit: { atMost: 0.2 },
    },
  ],
  onPostgres: true,
  async *measure({ server, scratch, runs, sizes, say }) {
    const warehouse = { databaseUrl: server.url, dataDir: scratch, schema: SCHEMAS.tool }
    await dropSchemas(server.url)
    await initialise(warehouse)
    say(`${sizes.storedTasks} tasks`)
    await psql(server.url, tasksSql(sizes.storedTasks))
    const env = environment(warehouse)
    const timed = async (what: string, work: () => Promise<unknown>) => {
      say(what)
      const begun = performance.now()
      await work()
      return performance.now() - begun
    }
    const fillMs = await timed('search indexes', async () => {
      const { code, stderr } = await run('collab-extract', ['search-index', 'create', '--log-level', 'warn'], { env })
      if (code !== 0) throw new Error(`collab-extract search-index ended with ${code}: ${stderr}`)
    })
    const [bytes] = (await psql(server.url, sizeSql())).match(/\d+/) ?? []
    const nightsMs = await timed(`${NIGHTS} nights`, () => psql(server.url, nightsSql()))
    for (let number = 1; number <= runs; number++) {
      await settle(server.url)
      say(`run ${number} of ${runs}: searches`)
      await using assistant = await startAssistant(env)
      // what an assistant waits for once, to connect
      await assistant.search('needle')
      const parts: Record<string, number> = { fillMs, indexBytes: Number(bytes), nightsMs }
      for (const [query, most] of Object.entries(SEARCHES)) {
        const { results, ms } = await assistant.search(query)
        if (results > most || (results === 0 && most > 0)) throw new Error(`${query}: ${results} results of ${most}`)
        parts[query] = ms
      }
      const slowest = Math.max(...Object.keys(SEARCHES).map((query) => parts[query] ?? 0))
      yield { figure: 'search', value: slowest / 1000, parts }
    }
    await dropSchemas(server.url)
  },
}

const FRAGMENTS = 4000

/**
 * Texts of four fragments, of six words each or, in every fourth, of sixteen Chinese characters; frequencies of words and characters are
 * about those of languages: the n-th has one n-th of the frequency of the first.
 */
function tasksSql(tasks: number): string {
  const fragments = Array.from({ length: FRAGMENTS }, (_, index) => `(${index}, '${fragment(index)}')`)
  const joins = ['name', 'a', 'b', 'c', 'd'].map(
    (alias, n) =>
      `JOIN fragments ${alias} ON ${alias}.f = (hashint8(g::bigint * 8 + ${n})::bigint & 1023) % ${FRAGMENTS / 4} * 4 + g % 4`,
  )
  const rare = `g % greatest(${tasks} / 5, 1) = 2`
  const description = `concat_ws(' ', a.t, b.t, 'everywhere there', CASE g % 2 WHEN 0 THEN 'evenly' ELSE 'oddly' END,
    CASE WHEN g % 3 = 0 THEN 'threefold' END, CASE WHEN g % 4 = 0 THEN '项目' END, CASE WHEN g % 8 = 0 THEN '计划 project' END,
    CASE WHEN ${rare} THEN 'needle qv 稀有' END, c.t, d.t)`
  return `
    CREATE TEMP TABLE fragments (f integer PRIMARY KEY, t text);
    INSERT INTO fragments VALUES ${fragments.join(', ')};
    ANALYZE fragments;
    INSERT INTO ${SCHEMAS.tool}.tasks (pid, tid, name, description, completed, created_at, updated_at, archived, valid_from)
      SELECT 'P' || lpad((g / 10000)::text, 4, '0'), 'T' || lpad(g::text, 8, '0'), name.t || ' ' || g, ${description}, g % 3 = 0,
        timestamptz '2025-01-01' - g * interval '11 s', timestamptz '2026-01-01' - (hashint4(g)::bigint & 16777215) * interval '5 s', g % 5 = 0,
        '2026-01-01'
      FROM generate_series(1, ${tasks}) g ${joins.join(' ')};`
}

/** One in a hundred tasks gets another name in each night. */
function nightsSql(): string {
  const nights = Array.from({ length: NIGHTS }, (_, night) => {
    const changed = `name = 'renamed ' || name, updated_at = timestamptz '2026-01-02' + ${night} * interval '1 day', valid_from = now()`
    return `UPDATE ${SCHEMAS.tool}.tasks SET ${changed} WHERE right(tid, 2)::integer = ${night};`
  })
  return nights.join('\n')
}

function sizeSql(): string {
  const name = `'${SCHEMAS.tool}.tasks_search'::regclass, '${SCHEMAS.tool}.tasks_search_order'::regclass`
  return `\\pset tuples_only\nSELECT sum(pg_relation_size(i)) FROM unnest(ARRAY[${name}]) i;`
}

const SYLLABLES = 'ba con de fi gra ing jo ka lo men no par ri re ser tion un ver wa xe yo zi ter ly'.split(' ')

/** The same in every run. */
function fragment(index: number): string {
  let state = index * 7919 + 1
  const rank = (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(most ** (state / 2 ** 32))
  }
  if (index % 4 === 0) return Array.from({ length: 16 }, () => String.fromCodePoint(0x4e10 + 7 * rank(2500))).join('')
  return Array.from({ length: 6 }, () => word(rank(20_000))).join(' ')
}

/** The frequent ones are short. */
function word(rank: number): string {
  const syllable = (n: number) => SYLLABLES[n % SYLLABLES.length] ?? ''
  const first = syllable(rank * 5)
  if (rank < SYLLABLES.length) return first
  return first + syllable(Math.floor(rank / 24)) + (rank < 576 ? '' : syllable(Math.floor(rank / 576)))
}
