import { expect, test } from 'vitest'
import { onBackendsOfSlowTests, openWorld } from './world.ts'

const ATTACHED = `SELECT DISTINCT jsonb_array_elements_text(extra -> 'fids') AS fid FROM collab.tasks`

onBackendsOfSlowTests('files attached to tasks', (open) => {
  test('are known, read and stored, also when unchanged tasks are not parsed', async () => {
    await using at = await openWorld({ projects: 1, tasks: 20, archived: 20, posts: 8, quirks: ['task-files'] }, open)
    const snapshot = async () => {
      expect((await at.snapshot()).code).toBe(0)
      const stored = 'SELECT fid FROM collab.files WHERE deleted_at IS NULL'
      expect(await at.rows(`${ATTACHED} EXCEPT ${stored}`)).toEqual([])
      return await at.rows(`SELECT count(*)::int FROM collab.known_files WHERE source = 'attachment'`)
    }
    const [[known] = []] = await snapshot()
    expect(known).toBeGreaterThan(0)
    expect(await snapshot()).toEqual([[known]])
    await at.script('DELETE FROM collab.known_files; DELETE FROM collab.files')
    expect(await snapshot()).toEqual([[known]])
  })
})
