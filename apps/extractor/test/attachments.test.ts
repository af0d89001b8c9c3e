import { startSandbox } from '@collab-etl/sandbox'
import { expect, test } from 'vitest'
import { onDatabasesInTurn } from './databases.ts'

const ATTACHED = `SELECT DISTINCT jsonb_array_elements_text(extra -> 'fids') AS fid FROM collab.tasks`

onDatabasesInTurn('files attached to tasks', (open) => {
  test('are known, read and stored, also when unchanged tasks are not parsed', async () => {
    await using at = await open()
    const sandbox = await startSandbox({ projects: 1, tasks: 20, archived: 20, posts: 8, quirks: ['task-files'] })
    const env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token }
    const rows = async (sql: string): Promise<unknown[][]> => {
      const ran = await at.extract(['query', '--json', sql])
      return JSON.parse(ran.stdout).rows
    }
    const snapshot = async () => {
      expect((await at.extract(['snapshot'], env)).code).toBe(0)
      const stored = 'SELECT fid FROM collab.files WHERE deleted_at IS NULL'
      expect(await rows(`${ATTACHED} EXCEPT ${stored}`)).toEqual([])
      return await rows(`SELECT count(*)::int FROM collab.known_files WHERE source = 'attachment'`)
    }
    try {
      const [[known] = []] = await snapshot()
      expect(known).toBeGreaterThan(0)
      expect(await snapshot()).toEqual([[known]])
      await at.script('DELETE FROM collab.known_files; DELETE FROM collab.files')
      expect(await snapshot()).toEqual([[known]])
    } finally {
      await sandbox.close()
    }
  })
})
