import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { PGlite } from '@electric-sql/pglite'
import { pgDump } from '@electric-sql/pglite-tools/pg_dump'
import { expect, inject, test } from 'vitest'
import { openEmbedded } from '../src/driver/embedded.ts'
import { readObjects } from '../src/migrate/migrate.ts'
import { schemaNames } from '../src/names.ts'
import { openWarehouse } from '../src/open.ts'

test('schema.sql and schema-objects.txt are what the migrations make', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'warehouse-dump-'))
  try {
    await copyDirectory(inject('embeddedTemplate'), dataDir)
    const warehouse = await openWarehouse({ dataDir, schema: 'collab' })
    await warehouse.migrate()
    await warehouse.close()
    const driver = await openEmbedded(dataDir)
    const objects = await readObjects(driver, schemaNames('collab'))
    await driver.close()
    await expect(`${objects.join('\n')}\n`, 'write schema-objects.txt anew, as schema.sql').toMatchFileSnapshot(
      '../schema-objects.txt',
    )
    await expect(
      await dump(join(dataDir, 'warehouse')),
      'the migrations make another schema than schema.sql shows. If that is meant, write it anew and read what changed: pnpm --filter @collab-etl/warehouse schema:dump',
    ).toMatchFileSnapshot('../schema.sql')
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

/** Both schemas as `pg_dump` tells them, but for its settings and versions, which say nothing of the schema. */
async function dump(directory: string): Promise<string> {
  await using database = await PGlite.create(directory)
  const schemas = ['--schema=collab', '--schema=collab_history']
  const file = await pgDump({ pg: database, args: ['--schema-only', '--no-owner', '--no-privileges', ...schemas] })
  const statements = (await file.text())
    .replaceAll(/^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*)$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replaceAll(/\n\n(?=COMMENT ON COLUMN)/g, '\n')
  return `-- The schema of a new warehouse, to be read and compared. Made from the migrations: pnpm --filter @collab-etl/warehouse schema:dump\n\n${statements.trim()}\n`
}
