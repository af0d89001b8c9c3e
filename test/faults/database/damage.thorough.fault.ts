/** @module-tag thorough */

import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { World } from './world.ts'

const DAMAGE = `
  TRUNCATE collab.task_labels;
  UPDATE collab.tasks SET name = 'damaged' WHERE tid = (SELECT min(tid) FROM collab.tasks);
  UPDATE collab.task_todos SET name = 'damaged';
  DELETE FROM collab.page_watchers;
  UPDATE collab.pages SET record_hash = md5(page_id)::uuid;
  INSERT INTO collab.task_members (pid, tid, uid, valid_from) SELECT pid, 'nowhere', 'unknown', valid_from FROM collab.projects`

fault('rows edited, removed and added by hand, found by compare', async (fixture) => {
  await using world = await World.open(fixture)
  await world.fill()
  await world.admin(DAMAGE)
  const env = { COLLAB_BASE_URL: world.sandbox.baseUrl, DATABASE_URL: world.url }
  const compare = () => fixture.run('collab-extract', ['compare', '--json'], { env })
  const found = await compare()
  for (const table of ['tasks', 'task_labels', 'task_todos', 'page_watchers', 'pages', 'task_members']) {
    expect(found.stdout, table).toContain(`"${table}"`)
  }
  await world.expectTruthFromNextRun()
  expect((await compare()).code).toBe(0)
  return fixture.named(found, 5)
})

fault('the same damage, repaired by snapshot --full', async (fixture) => {
  await using world = await World.open(fixture)
  await world.fill()
  await world.admin(DAMAGE)
  const ran = await world.snapshot(world.url, { args: ['--full'] })
  await world.expectTruth()
  return fixture.cured(ran)
})
