import { join } from 'node:path'
import type { Bench, BenchContext, Measured } from '../bench.ts'
import { documentWarehouse } from '../documents/document-warehouse.ts'
import { fillWarehouse } from '../documents/fill-warehouse.ts'
import { DOCUMENT_PROJECTS } from '../documents/world.ts'
import { type BackupOptions, backup } from '../measured/exports.ts'
import { settleFiles } from '../measured/files.ts'
import { copyTwice, PEERS } from '../measured/peers.ts'
import type { Warehouse } from '../measured/snapshot.ts'
import { settle } from '../postgres/database.ts'

const ALL = 'markdown,csv,html,jsonl'

/** The most that a backup may take, and beside programs that copy files. A program that is not installed is not measured. */
export const backupFormats: Bench = {
  figures: [
    {
      name: 'backup-rsync',
      what: 'first backup of 12,000 pages, 2,000 posts, 20,000 tasks against rsync -a of its files',
      unit: '×',
      limit: { atMost: 3 },
    },
    {
      name: 'backup-again-peers',
      what: 'next one, nothing changed, against the fastest of rsync (with links), restic and borg',
      unit: '×',
      limit: { atMost: 1.2 },
    },
    {
      name: 'backup-formats',
      what: 'the same in all four formats against Markdown and CSV',
      unit: '×',
      limit: { atMost: 2 },
    },
    {
      name: 'backup-formats-changed',
      what: 'next one in all four, 1 % changed, against the first',
      unit: '×',
      limit: { atMost: 0.15 },
    },
  ],
  onPostgres: true,
  async *measure(context) {
    const { scratch, sizes, runs } = context
    const [pages, posts, tasks] = [sizes.pages * 0.6, sizes.posts * 0.4, sizes.tasks * 0.2].map(Math.ceil)
    const world = { pages: pages ?? 0, posts: posts ?? 0, tasks: tasks ?? 0 }
    await using warehouse = await documentWarehouse(context, 'backup-formats', world)
    for (let number = 1; number <= runs; number++) {
      const folder = join(scratch, `formats-${number}`)
      const first = await backupIn(context, warehouse, join(folder, 'two'), 'first')
      yield* await besidePeers(context, warehouse, folder, first)
      const all = await backupIn(context, warehouse, join(folder, 'all'), 'all formats', ALL)
      const parts = { firstMs: first.durationMs, allMs: all.durationMs, allPeakMB: all.peakMemory / 1e6 }
      yield { figure: 'backup-formats', value: all.durationMs / first.durationMs, parts }
      if (!context.wanted.has('backup-formats-changed')) continue
      await fillWarehouse(warehouse, { projects: DOCUMENT_PROJECTS, ...world, version: number })
      const changed = await backupIn(context, warehouse, join(folder, 'all'), 'all formats, 1 % changed', ALL)
      const value = changed.durationMs / all.durationMs
      const more = { changedMs: changed.durationMs, changedPeakMB: changed.peakMemory / 1e6 }
      yield { figure: 'backup-formats-changed', value, parts: { ...parts, ...more } }
    }
  },
}

type Backup = Awaited<ReturnType<typeof backup>>

async function backupIn(
  context: BenchContext,
  warehouse: Warehouse,
  folder: string,
  what: string,
  format?: BackupOptions['format'],
): Promise<Backup> {
  await settle(context.server.url)
  await settleFiles(context.scratch)
  context.say(`backup-formats: ${what}`)
  const profile = context.profile && join(context.profile, `formats-${what.replaceAll(/\W+/g, '-')}`)
  return await backup(folder, { warehouse, format, profile })
}

/** The first backup beside `rsync -a` of its files, and the next one, with the start of the program, beside the next run of each program. */
async function besidePeers(
  context: BenchContext,
  warehouse: Warehouse,
  folder: string,
  first: Backup,
): Promise<Measured[]> {
  const again = await backupIn(context, warehouse, join(folder, 'two'), 'again')
  const parts: Record<string, number> = {
    firstMs: first.durationMs,
    againProcessMs: again.processMs,
    files: first.files,
  }
  const times: number[] = []
  for (const peer of PEERS) {
    await settleFiles(context.scratch)
    const copied = await copyTwice(peer, { files: first.path, folder: join(folder, peer) })
    if (copied === null) {
      context.say(`backup-formats: ${peer} is not installed and is skipped`)
      continue
    }
    parts[`${peer}Ms`] = copied.firstMs
    parts[`${peer}AgainMs`] = copied.againMs
    times.push(copied.againMs)
  }
  const { rsyncMs } = parts
  return [
    ...(rsyncMs === undefined ? [] : [{ figure: 'backup-rsync', value: first.durationMs / rsyncMs, parts }]),
    ...(times.length === 0
      ? []
      : [{ figure: 'backup-again-peers', value: again.processMs / Math.min(...times), parts }]),
  ]
}
