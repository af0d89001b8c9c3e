import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { postgresServer } from '@collab-etl/harness/postgres'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { expect, inject, onTestFinished, test } from 'vitest'
import { type Marks, readMarks, writeMarks } from '../src/admin/marks.ts'
import { migrate } from '../src/admin/migrate.ts'
import { schemaNames } from '../src/names.ts'
import { openDriver, openWarehouse, queryWarehouse, type WarehouseOptions } from '../src/open.ts'
import { DEFINITION } from '../src/tables/schema.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { ownDatabase } from './support/own-database.ts'
import { READY_SCHEMA } from './support/templates.ts'

const UNFINISHED = { unfinished: 'load of /backups' }
const REFUSED = {
  code: 'UNFINISHED',
  message: expect.stringMatching(
    /is not whole: a load of \/backups has not ended; finish it with the same command \(collab-extract load \/backups\)/,
  ),
}
const MOVED = { movedTo: 'db.example/etl at 2026-01-02T03:04:05.000Z' }

testThoroughly('an embedded warehouse that is not whole opens only for the work that fills it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'marks-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  await copyDirectory(inject('embeddedTemplate'), dataDir)
  const options = { dataDir, schema: READY_SCHEMA }
  await mark(options, UNFINISHED)
  await expect(openWarehouse(options)).rejects.toMatchObject(REFUSED)
  await expect(queryWarehouse(options, 'SELECT 1')).rejects.toMatchObject(REFUSED)
  await using(openWarehouse({ ...options, acceptsUnfinished: true }), async (warehouse) => {
    await (await warehouse.runs.lock())[Symbol.asyncDispose]()
  })
  await mark(options, { unfinished: null })
  await using(openWarehouse(options), (warehouse) => warehouse.lookup())
})

test.runIf(postgresServer())('a warehouse opened before another process fills it reads and runs nothing', async () => {
  const { warehouse, url } = await ownDatabase(inject('postgresTemplate'))
  const [options, early] = [{ databaseUrl: url, dataDir: '' }, await warehouse({ schema: READY_SCHEMA })]
  await mark(options, UNFINISHED)
  await expect(early.runs.lock()).rejects.toMatchObject(REFUSED)
  await expect(early.lookup()).rejects.toMatchObject(REFUSED)
  await mark(options, { unfinished: null })
  await (await early.runs.lock())[Symbol.asyncDispose]()
})

test.runIf(postgresServer())('a moved warehouse can be read, and runs again only with again', async () => {
  const { warehouse: open, url } = await ownDatabase(inject('postgresTemplate'))
  const warehouse = await open({ schema: READY_SCHEMA })
  await mark({ databaseUrl: url, dataDir: '' }, MOVED)
  const refused = { code: 'MOVED', message: expect.stringContaining(`was moved to ${MOVED.movedTo}: use that one`) }
  await expect(warehouse.runs.lock()).rejects.toMatchObject(refused)
  await expect(warehouse.runs.queue.join()).rejects.toMatchObject(refused)
  await (await open({ schema: READY_SCHEMA })).lookup()
  await (await warehouse.runs.lock({ again: true }))[Symbol.asyncDispose]()
  await (await warehouse.runs.lock())[Symbol.asyncDispose]()
})

onBackendsInTurn('marks of a warehouse', (backend) => {
  test('outlive an upgrade, and an older schema has none', async () => {
    const warehouse = await backend.another()
    const { driver } = backend
    const schema = schemaNames(warehouse.schema)
    await writeMarks(driver, schema, { ...UNFINISHED, ...MOVED })
    await migrate(driver, schema, { ...DEFINITION, upgrades: [...DEFINITION.upgrades, {}] })
    expect(await readMarks(driver, schema)).toEqual({ ...UNFINISHED, ...MOVED })
    await driver.script(`ALTER TABLE ${warehouse.schema}.schema_version DROP unfinished, DROP moved_to`)
    expect(await readMarks(driver, schema)).toEqual({ unfinished: null, movedTo: null })
  })
})

async function mark(options: Omit<WarehouseOptions, 'schema'>, marks: Partial<Marks>): Promise<void> {
  const driver = await openDriver(options)
  await writeMarks(driver, schemaNames(READY_SCHEMA), marks)
  await driver.close()
}

async function using<T extends AsyncDisposable>(opening: Promise<T>, work: (opened: T) => Promise<unknown>) {
  await using opened = await opening
  await work(opened)
}
