import { expect, test } from 'vitest'
import { readObjects } from '../src/admin/missing-objects.ts'
import { schemaNames } from '../src/names.ts'
import { objectsOf } from '../src/tables/objects.ts'
import { DEFINITION } from '../src/tables/schema.ts'
import { onBackendsInTurn } from './support/backends.ts'

onBackendsInTurn('objects that are missing', (backend) => {
  test('are looked for among all that a new warehouse has', async () => {
    const { schema } = await backend.another()
    expect(await objectsOf(DEFINITION)).toEqual(await readObjects(backend.driver, schemaNames(schema)))
  })

  test('missing objects of every kind are named; added ones are not', async () => {
    const warehouse = await backend.another()
    const { schema } = warehouse
    expect(await warehouse.admin.missingObjects()).toEqual([])
    await backend.driver.script(`CREATE TABLE ${schema}.own (a int); ALTER TABLE ${schema}.users ADD COLUMN own int`)
    expect(await warehouse.admin.missingObjects()).toEqual([])
    await backend.driver.script(`
      DROP TABLE ${schema}.task_labels CASCADE;
      DROP TABLE ${schema}_history.webhooks;
      ALTER TABLE ${schema}.known_files DROP COLUMN source;
      DROP VIEW ${schema}.overdue_tasks;
      DROP FUNCTION ${schema}.users_as_of(timestamptz);
      DROP INDEX ${schema}.webhooks_pid;
      ALTER TABLE ${schema}.runs DROP CONSTRAINT runs_pkey`)
    expect(await warehouse.admin.missingObjects()).toEqual([
      `column ${schema}.known_files.source`,
      `function ${schema}.users_as_of`,
      `index ${schema}.runs_pkey`,
      `index ${schema}.task_labels_pkey`,
      `index ${schema}.task_labels_valid_from`,
      `index ${schema}.webhooks_pid`,
      `index ${schema}_history.webhooks_pkey`,
      `index ${schema}_history.webhooks_valid_from`,
      `index ${schema}_history.webhooks_valid_to`,
      `table ${schema}.task_labels`,
      `table ${schema}_history.webhooks`,
      `view ${schema}.changes`,
      `view ${schema}.fct_task`,
      `view ${schema}.live_task_labels`,
      `view ${schema}.overdue_tasks`,
    ])
    expect(await warehouse.admin.migrate()).toMatchObject({ to: warehouse.supportedVersion })
  })
})
