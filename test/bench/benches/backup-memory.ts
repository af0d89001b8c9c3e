import { join } from 'node:path'
import type { Bench, BenchContext } from '../bench.ts'
import { documentWarehouse } from '../documents/document-warehouse.ts'
import { type Backup, backup } from '../measured/exports.ts'
import { settle } from '../postgres/database.ts'

/** Ten times the pages in the same memory. Always run once, because it takes minutes. */
export const backupMemory: Bench = {
  figures: [
    {
      name: 'backup-memory-tenfold',
      what: 'peak memory of a backup of 200,000 pages against 20,000',
      unit: '×',
      limit: { atMost: 1.2 },
    },
  ],
  onPostgres: true,
  async *measure(context) {
    const few = await backupOf(context, context.sizes.pages)
    const many = await backupOf(context, context.sizes.manyPages)
    const [fewMB, manyMB] = [few.peakMemory / 1e6, many.peakMemory / 1e6]
    yield {
      figure: 'backup-memory-tenfold',
      value: manyMB / fewMB,
      parts: { fewMB, manyMB, fewMs: few.durationMs, manyMs: many.durationMs },
    }
  },
}

/** With 100,000 tasks besides the pages and posts. */
export const backupMemoryHtml: Bench = {
  figures: [
    {
      name: 'backup-memory-html',
      what: 'peak memory of a first backup as HTML, with 100,000 tasks',
      unit: 'MB',
      limit: { atMost: 200 },
    },
  ],
  onPostgres: true,
  async *measure(context) {
    const { server, scratch, sizes, runs, profile, say } = context
    const { pages, posts, tasks } = sizes
    await using warehouse = await documentWarehouse(context, 'backup-memory-html', { pages, posts, tasks })
    for (let number = 1; number <= runs; number++) {
      await settle(server.url)
      say(`backup-memory-html: run ${number} of ${runs}`)
      const to = profile === undefined ? undefined : join(profile, `backup-html-${number}`)
      const folder = join(scratch, `backup-html-${number}`)
      const { peakMemory, durationMs, processMs, files } = await backup(folder, {
        warehouse,
        profile: to,
        format: 'html',
      })
      yield { figure: 'backup-memory-html', value: peakMemory / 1e6, parts: { durationMs, processMs, files } }
    }
  },
}

/** Of pages alone. */
async function backupOf(context: BenchContext, pages: number): Promise<Backup> {
  const { scratch, profile, say } = context
  await using warehouse = await documentWarehouse(context, 'backup-memory', { pages, posts: 0 })
  say(`backup-memory: backup of ${pages} pages`)
  const to = profile === undefined ? undefined : join(profile, `backup-memory-${pages}`)
  return await backup(join(scratch, `backup-memory-${pages}`), { warehouse, profile: to })
}
