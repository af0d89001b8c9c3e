/** @module-tag thorough */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backends } from '@collab-etl/harness/backends'
import { run, scratchDirectory } from '@collab-etl/harness/commands'
import { expectedRows } from '@collab-etl/harness/expected-rows'
import { postsCsv } from '@collab-etl/harness/posts-csv'
import { asLines, warehouseRows } from '@collab-etl/harness/warehouse-rows'
import { startSandbox } from '@collab-etl/sandbox'
import { describe, expect, test } from 'vitest'

const MB = 1024 * 1024

describe.each(backends())('a snapshot of a large, capped, faulty service ($name)', (backend) => {
  test('fills the tables exactly, with exit code 0 and flat memory', async () => {
    await using scratch = await scratchDirectory()
    await using warehouse = await backend.open()
    const sandbox = await startSandbox({
      seed: 11,
      projects: 20,
      tasks: 20_000,
      archived: 5_000,
      pages: 200,
      posts: 60,
      events: 400,
      pageCap: 37,
      faultRate: 0.02,
      rateLimit: 400,
    })
    try {
      const truths = sandbox.pids.map((pid) => sandbox.store.truth(pid))
      const postsFile = join(scratch.path, 'posts.csv')
      await writeFile(postsFile, postsCsv(truths))

      const snapshot = await run('collab-extract', ['snapshot', '--json', '--posts-file', postsFile], {
        env: { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token, ...warehouse.env },
        measureMemory: true,
      })

      expect(snapshot.stderr.split('\n').filter((line) => line.includes('"level":"error"'))).toEqual([])
      expect(snapshot.code).toBe(0)
      const document = JSON.parse(snapshot.stdout)
      expect(document).toMatchObject({ status: 'succeeded', projects: { failed: 0, partial: 0 }, losses: 0 })
      expect(document.retries).toBeGreaterThan(0)

      const expected = expectedRows(truths, sandbox.store.personalWebhooks)
      const stored = await warehouseRows(warehouse.env, Object.keys(expected))
      for (const [table, rows] of Object.entries(expected)) {
        expect([table, asLines(stored[table] ?? [])]).toEqual([table, asLines(rows)])
        expect(document.rows[table]).toMatchObject({ inserted: rows.length, updated: 0, deleted: 0 })
      }
      // The embedded warehouse is a database inside the process; its memory is not the extractor's.
      if (backend.name === 'postgres') expect(snapshot.peakMemory / MB).toBeLessThan(200)
    } finally {
      await sandbox.close()
    }
  }, 400_000)
})
