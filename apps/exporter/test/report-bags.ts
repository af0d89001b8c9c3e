import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EarlierBackup } from '@collab-etl/backups/repository'
import { BagWriter } from '@collab-etl/bagit'
import { scratch } from '@collab-etl/harness/scratch'
import type { BackupOptions } from '../src/backup/options.ts'
import { writeBackup } from '../src/backup/write-backup.ts'
import type { BackupRows } from '../src/source/backup-rows.ts'
import { readingInfo } from '../src/source/reading-info.ts'
import { OPTIONS } from './backup-in.ts'
import { commentRow, eventRow, fileRow, handMadeSource, pageRow, postRow, projectRow, taskRow } from './rows.ts'

export const NIGHT = '20260101T000000Z'

/** Writes a backup that is compared with an earlier one. Returns its folder: one in `within`, or one that is removed when the test ends. */
export async function bagOf(
  source: BackupRows,
  {
    options = {},
    earlier = null,
    within,
  }: { options?: Partial<BackupOptions>; earlier?: EarlierBackup | null; within?: string } = {},
): Promise<string> {
  const folder = within === undefined ? await scratch() : await mkdtemp(join(within, 'bag-'))
  const bag = await BagWriter.create(folder)
  const context = { signal: new AbortController().signal, onRecord: () => {}, software: 'test 0', earlier }
  await writeBackup(source, bag, { ...OPTIONS, ...options }, context)
  await bag.finish(({ bytes, files }) => [
    ['Bag-Software-Agent', 'test 0'],
    ...readingInfo(source.origin),
    ['Payload-Oxum', `${bytes}.${files}`],
  ])
  return folder
}

export const earlierAt = (path: string, damage: string | null = null): EarlierBackup => ({ name: NIGHT, path, damage })

export const reportOf = (bag: string) => readFile(join(bag, 'data/report.html'), 'utf8')

export type Rows = NonNullable<Parameters<typeof handMadeSource>[0]['tables']>

export const state = (tables: Rows) => handMadeSource({ tables: { projects: [projectRow('p', 'Project')], ...tables } })

export const BEFORE: Rows = {
  pages: [
    pageRow('p', 'a', 'Target'),
    pageRow('p', 'b', 'Links', { content: '[it](/pages/a)' }),
    pageRow('p', 'c', 'Gone'),
  ],
  posts: [postRow('p', '1', 'News')],
  tasks: [taskRow('p', 't1', 'Do it'), taskRow('p', 't2', 'Keep it')],
  events: [eventRow('p', 'e', '2026-01-05T09:00:00.000Z', 'Meeting')],
  files: [fileRow('p', 'f', 'plan.pdf')],
}

/** Records with links that lead nowhere, and values that were not kept. */
export const WITH_ISSUES = {
  tables: {
    projects: [projectRow('p', 'Road Map')],
    pages: [pageRow('p', 'a', 'Guide', { content: '[x](/pages/lost) [y](/pages/b)' }), pageRow('p', 'b', null)],
    posts: [postRow('p', '1', 'News')],
    post_comments: [commentRow('p', '1', 'c1', { raw_message: '[w](/pages/away)' })],
    tasks: [
      taskRow('p', 't1', 'Old', { archived: true, description: '[z](/posts/99)' }),
      taskRow('p', 't2', 'Keep <it>'),
    ],
    events: [
      eventRow('p', 'e', '2026-01-05T09:00:00.000Z', 'Meeting'),
      eventRow('p', 'e', '2026-02-05T09:00:00.000Z', 'Later meeting'),
    ],
  },
  losses: [
    { pid: 'p', stream: 'tasks', record_key: 't2', field: 'pos', kind: 'rounded', original: '1e400' },
    {
      pid: 'p',
      stream: 'events',
      record_key: 'e 2026-02-05T09:00:00.000Z',
      field: 'end',
      kind: 'coerced',
      original: '"x"',
    },
    { pid: 'p', stream: 'pages', record_key: 'b', field: 'name', kind: 'missing', original: 'null' },
    { pid: 'p', stream: 'pages', record_key: '*', field: 'time', kind: 'coerced', original: '1200' },
    { pid: 'p', stream: 'tasks', record_key: 'gone', field: '', kind: 'unkeyed', original: null },
    { pid: null, stream: 'webhooks', record_key: 'w', field: 'url', kind: 'coerced', original: '1' },
  ],
} satisfies Parameters<typeof handMadeSource>[0]
