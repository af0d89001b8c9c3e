import { type RunOptions, run, type Started } from '@collab-etl/harness/commands'
import { freshDatabase, onServer, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
import { testThoroughly } from '@collab-etl/harness/thorough'
import type {} from '@collab-etl/harness/warehouse-template'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'

const server = postgresServer()

describe.runIf(server !== null)('search-index', () => {
  let database: TestDatabase
  let writer: pg.Client

  beforeAll(async () => {
    database = await freshDatabase(server ?? '', inject('databaseTemplate') ?? undefined)
    writer = new pg.Client({ connectionString: database.url })
    await writer.connect()
  })
  afterAll(async () => {
    await writer.end()
    await database.drop()
  })

  const searchIndex = (action: string, options: RunOptions = {}) =>
    run('collab-extract', ['search-index', action, '--json'], { ...options, env: { DATABASE_URL: database.url } })
  const listed = async () => {
    const { code, stdout } = await searchIndex('status')
    expect(code).toBe(0)
    return (JSON.parse(stdout) as { indexes: { name: string; state: string }[] }).indexes
  }
  const building = async () => (await listed()).flatMap(({ name, state }) => (state === 'building' ? [name] : []))
  /** How many indexes have each state. */
  const states = async () =>
    Object.fromEntries(
      Array.from(
        Map.groupBy(await listed(), ({ state }) => state),
        ([state, of]) => [state, of.length],
      ),
    )

  test('an interrupted create leaves an invalid index, which check reports and create replaces', async () => {
    expect(await states()).toEqual({ missing: 8 })
    const mistyped = await searchIndex('creat')
    expect(mistyped).toMatchObject({ code: 2, stderr: expect.stringContaining('must be one of create, drop, status') })
    // Postgres waits for the transactions that write to the table.
    await writer.query(`BEGIN; INSERT INTO collab.tasks (pid, tid, valid_from) VALUES ('p', 't', now())`)
    let started: Started | undefined
    const creating = searchIndex('create', { onStart: (child) => (started = child) })
    await expect.poll(building, { timeout: 20_000 }).toEqual(['tasks_search_order'])
    expect(await searchIndex('create')).toMatchObject({ code: 11, stderr: expect.stringContaining('another session') })
    await onServer(database.url, `INSERT INTO collab.tasks (pid, tid, valid_from) VALUES ('p', 'beside', now())`)
    started?.kill('SIGINT')
    expect(await creating).toMatchObject({ code: 130 })
    await writer.query('COMMIT')
    expect(await states()).toMatchObject({ invalid: 1 })
    const checked = await run('collab-extract', ['check'], { env: { DATABASE_URL: database.url } })
    expect(checked.stdout).toMatch(/\d of 8 search indexes are complete[\s\S]*search-index create/)
    const created = await searchIndex('create')
    expect(created).toMatchObject({ code: 0 })
    const { indexes } = JSON.parse(created.stdout) as { indexes: { change: string }[] }
    expect(new Set(indexes.map(({ change }) => change))).toContain('created')
    expect(await states()).toEqual({ ready: 8 })
  })

  test('create replaces an index of another definition, which the search does not use', async () => {
    expect(await searchIndex('create')).toMatchObject({ code: 0 })
    await onServer(database.url, 'DROP INDEX collab.posts_search; CREATE INDEX posts_search ON collab.posts (name)')
    expect(await states()).toEqual({ ready: 7, outdated: 1 })
    const checked = await run('collab-extract', ['check'], { env: { DATABASE_URL: database.url } })
    expect(checked.stdout).toMatch(/7 of 8 search indexes are complete[\s\S]*search-index create/)
    const { stdout } = await searchIndex('create')
    const { indexes } = JSON.parse(stdout) as { indexes: { name: string; change: string }[] }
    expect(indexes.flatMap(({ name, change }) => (change === 'created' ? [name] : []))).toEqual(['posts_search'])
    expect(await states()).toEqual({ ready: 8 })
  })

  testThoroughly('create keeps what is there, drop removes it', async () => {
    // the test above runs in `npm test` alone
    expect(await searchIndex('drop')).toMatchObject({ code: 0 })
    for (const [action, change, state] of [
      ['create', 'created', 'ready'],
      ['create', 'kept', 'ready'],
      ['drop', 'dropped', 'missing'],
      ['drop', 'kept', 'missing'],
    ] as const) {
      const { code, stdout } = await searchIndex(action)
      const { indexes } = JSON.parse(stdout) as { indexes: { change: string; state: string }[] }
      expect([code, indexes]).toEqual([0, Array(8).fill(expect.objectContaining({ change, state }))])
    }
  })
})
