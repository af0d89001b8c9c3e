import { expect, test } from 'vitest'
import { onBothLanes } from './support/lanes.ts'

onBothLanes('objects that are missing', (lane) => {
  test.each([
    {
      sql: 'DROP TABLE SCHEMA.task_labels CASCADE',
      missing: ['function collab.task_labels_as_of', 'table collab.task_labels'],
    },
    { sql: 'DROP TABLE SCHEMA_history.webhooks', missing: ['table collab_history.webhooks'] },
    { sql: 'ALTER TABLE SCHEMA.pages DROP COLUMN summary CASCADE', missing: ['column collab.pages.summary'] },
    { sql: 'DROP VIEW SCHEMA.overdue_tasks', missing: ['view collab.overdue_tasks'] },
    { sql: 'DROP FUNCTION SCHEMA.users_as_of(timestamptz)', missing: ['function collab.users_as_of'] },
    { sql: 'DROP INDEX SCHEMA.webhooks_pid', missing: ['index collab.webhooks_pid'] },
    { sql: 'ALTER TABLE SCHEMA.runs DROP CONSTRAINT runs_pkey', missing: ['index collab.runs_pkey'] },
    { sql: 'CREATE TABLE SCHEMA.own (a int); ALTER TABLE SCHEMA.users ADD COLUMN own int', missing: [] },
  ])('are named: $sql', async ({ sql, missing }) => {
    const warehouse = await lane.another()
    expect(await warehouse.missingObjects()).toEqual([])
    await lane.driver.script(sql.replaceAll('SCHEMA', warehouse.schema))
    const found = await warehouse.missingObjects()
    for (const object of missing) expect(found).toContain(object.replace('collab', warehouse.schema))
    if (missing.length === 0) expect(found).toEqual([])
    expect(await warehouse.migrate()).toMatchObject({ to: warehouse.supportedVersion })
  })
})
