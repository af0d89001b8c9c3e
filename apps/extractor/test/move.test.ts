import { onServer } from '@collab-etl/harness/postgres'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { isThorough } from '@collab-etl/harness/thorough-tag'
import { openWarehouse } from '@collab-etl/warehouse'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dump, nights, server, settingsOf, target } from './moved.ts'
import { embedded, onPostgres, openWorld, plainLines } from './world.ts'

describe.runIf(server !== null)('move', () => {
  /** From an embedded warehouse in `npm test`, from Postgres in `npm run test:thorough`. */
  test('a warehouse with its history becomes the same one in Postgres, which continues', {
    tags: 'thorough',
  }, async () => {
    const world = await nights(isThorough() ? onPostgres : embedded)
    const { url, dataDir } = settingsOf(world)
    const from = url === '' ? { dataDir } : { url, schema: 'collab' }
    const before = await dump(from)
    expect(before.rows['collab_history.pages']).not.toEqual([])
    const to = await target()
    const moved = await world.json('move', '--to', to.url)
    expect(moved).toMatchObject({ code: 0, from_schema: 'collab', to_schema: 'collab', sent: 0 })
    if (url === '') expect(moved['from']).toBe(dataDir)
    const source = await dump(from)
    const copy = await dump(to)
    expect(copy).toEqual(source)
    const rowsOf = (name: string, history: boolean) =>
      moved['tables'].find(
        (table: { name: string; history: boolean }) => table.name === name && table.history === history,
      ).rows
    expect(rowsOf('pages', false)).toBe((copy.rows['collab.pages'] as unknown[]).length)
    expect(rowsOf('pages', true)).toBe((copy.rows['collab_history.pages'] as unknown[]).length)

    const refused = await world.extract(['snapshot'])
    expect(refused.code).toBe(2)
    expect(plainLines(refused.stderr).join()).toMatch(/was moved to postgres:\/\/\S+ \(schema collab\) at 20.*--again/)
    expect((await world.extract(['query', 'SELECT count(*) FROM collab.tasks'])).code).toBe(0)

    const onTarget = { env: { ...world.env, COLLAB_DATA_DIR: '', DATABASE_URL: to.url } }
    world.sandbox.clearRequests()
    const next = await world.extract(['snapshot', '--json'], onTarget)
    expect(next.code).toBe(0)
    const requested = ['posts.get', 'files.get'].map(
      (name) => world.sandbox.requests.filter(({ operation }) => operation === name).length,
    )
    const { rows } = JSON.parse(next.stdout)
    for (const counts of Object.values(rows)) expect(counts).toMatchObject({ inserted: 0, updated: 0, deleted: 0 })

    expect((await world.extract(['move', '--to', to.url])).code).toBe(2)
    const again = await world.snapshot('--again')
    expect(again).toMatchObject({ code: 0, rows })
    // ids that are not requested in every run are those of the run log
    expect(['posts.get', 'files.get'].map(again.read)).toEqual(requested)
    expect((await world.snapshot()).code).toBe(0)
  })

  testThoroughly('a Postgres warehouse moves to another schema, and what others added to it is named', async () => {
    const world = await nights(onPostgres)
    const url = settingsOf(world).url
    const role = `reader_${new URL(url).pathname.slice(1)}`
    await world.script(
      `CREATE VIEW collab.ours AS SELECT 1 AS one; ALTER TABLE collab.tasks ADD note text; CREATE ROLE ${role}; GRANT SELECT ON collab.tasks TO ${role}`,
    )
    onTestFinished(() => onServer(server ?? '', `DROP ROLE ${role}`).catch(() => {}))
    const to = await target('archive')
    const ran = await world.extract(['move', '--to', to.url, '--to-schema', 'archive'])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/^table +rows +history +size\n[─ ]+\nprojects +3 +0 +\d/)
    expect(ran.stdout).toContain('Not moved, as others added it: column collab.tasks.note, view collab.ours')
    expect(ran.stdout).toContain(`collab-extract init --grant-read ${role}`)
    await world.script(`DROP VIEW collab.ours; ALTER TABLE collab.tasks DROP note; DROP OWNED BY ${role}`)
    const copy = await dump(to)
    const source = await dump({ url, schema: 'collab' })
    expect(copy.rows).toEqual(source.rows)
    expect(copy.catalogue).toEqual(source.catalogue)
    const again = await target()
    expect((await world.extract(['move', '--to', again.url])).code).toBe(2)
    expect((await world.extract(['move', '--to', again.url, '--again'])).code).toBe(0)
    expect((await dump(again)).rows).toEqual(source.rows)
  })

  test('what cannot be moved is refused in one line, and nothing is marked', async () => {
    const world = await openWorld({}, onPostgres)
    onTestFinished(() => world[Symbol.asyncDispose]())
    const url = settingsOf(world).url
    const refusal = async (code: number, ...args: string[]) => {
      const ran = await world.extract(['move', ...args])
      expect(ran).toMatchObject({ code, stdout: '' })
      expect(ran.stderr.trim().split('\n')).toHaveLength(1)
      return ran.stderr
    }
    const other = Object.assign(new URL(url), {
      hostname: new URL(url).hostname === '127.0.0.1' ? 'localhost' : '127.0.0.1',
    })
    expect(await refusal(2, '--to', other.href)).toContain('is the warehouse that is to be moved')
    const to = await target()
    await onServer(to.url, 'CREATE SCHEMA collab; CREATE TABLE collab.mine ()')
    expect(await refusal(2, '--to', to.url)).toContain('is not empty (it has collab.mine)')
    const reader = `poor_${new URL(url).pathname.slice(1)}`
    await onServer(to.url, `CREATE ROLE ${reader} LOGIN PASSWORD 'secret-word'`)
    onTestFinished(() => onServer(server ?? '', `DROP ROLE ${reader}`).catch(() => {}))
    const poor = Object.assign(new URL(to.url), { username: reader, password: 'secret-word' })
    const denied = await refusal(1, '--to', poor.href, '--to-schema', 'other')
    expect(denied).toContain('permission denied')
    expect(denied).not.toContain('secret-word')
    expect(await refusal(2, '--to', 'mysql://x')).toContain('--to must be an address')
    expect(await refusal(2, '--to', to.url, '--schema', 'nowhere')).toContain('there is no schema nowhere')
    await using warehouse = await openWarehouse({ databaseUrl: url, dataDir: '', schema: 'collab' })
    await using _lock = await warehouse.runs.lock()
    expect(await refusal(11, '--to', to.url, '--to-schema', 'other')).toContain('another run holds the lock')
    const { rows } = await warehouse.rows.query('SELECT unfinished, moved_to FROM collab.schema_version')
    expect(rows).toEqual([[null, null]])
  })

  testThoroughly('a move that was killed as it marked the source is made again by the same command', async () => {
    const world = await nights(onPostgres)
    const to = await target()
    const first = await world.extract(['move', '--to', to.url, '--json'])
    expect(first.code).toBe(0)
    const work = `move of schema collab of ${JSON.parse(first.stdout).from}`
    const moved = await dump(to)
    await onServer(to.url, `UPDATE collab.schema_version SET unfinished = '${work}'; DELETE FROM collab.pages`)
    const onTarget = { env: { ...world.env, COLLAB_DATA_DIR: '', DATABASE_URL: to.url } }
    for (const command of [['snapshot'], ['query', 'SELECT 1'], ['runs'], ['check']]) {
      const ran = await world.extract(command, onTarget)
      expect(ran.code).toBe(2)
      expect(ran.stderr + ran.stdout).toContain(
        `is not whole: a ${work} has not ended; finish it with the same command (collab-extract move)`,
      )
    }
    expect((await world.extract(['move', '--to', to.url])).code).toBe(0)
    expect(await dump(to)).toEqual(moved)
  })
})
