import { join } from 'node:path'
import type { Format } from '@collab-etl/backups'
import { BackupReader, type RecordFormat, type RecordTable } from '@collab-etl/backups/read'
import type { PlainRow } from '@collab-etl/harness/expected-rows'
import { offeredRows } from '@collab-etl/harness/offered-truth'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { asLines, plainTime } from '@collab-etl/harness/warehouse-rows'
import { withoutReading } from '@collab-etl/harness/without-reading'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { apiBackup } from './api-backup.ts'
import { backupOf } from './changing-warehouse.ts'
import { compared } from './diff-of.ts'
import { fillWarehouse } from './fill-warehouse.ts'
import { warehouseInTurn } from './warehouse-in-turn.ts'

const ALL = { formats: new Set<Format>(['markdown', 'csv', 'html', 'jsonl']) }

const RECORDS: readonly RecordTable[] = [
  'projects',
  'project_members',
  'teams',
  'users',
  'tasks',
  'entries',
  'pages',
  'posts',
  'events',
  'files',
]

/** The lists that CSV does not hold. */
const NOT_IN_CSV = [
  'project_labels',
  'page_watchers',
  'post_watchers',
  'file_watchers',
  'task_watchers',
  'file_comments',
]

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({
    ...{ projects: 2, tasks: 12, archived: 6, pages: 6, posts: 6, events: 4 },
    extended: true,
  })
  const [pid = ''] = sandbox.pids
  const [comment] = sandbox.store.truth(pid).posts.flatMap(({ comments }) => comments)
  sandbox.store.change(pid, ({ tasks, task_comments, files }) => {
    const [task, file] = [tasks[0], files.find(({ file }) => file.type === 0)?.file]
    if (!task || !file || !comment) throw new Error('the sandbox has too few records')
    const { fid, name, desc, size, path, folder_id } = file
    const shown = { fid, name, desc, size, path, folder_id, pid }
    const attached = { fids: [fid], files: [shown] }
    task_comments[task.tid] = [{ ...structuredClone(comment), cid: 'with-a-file', ...attached }]
    task.badges.comment_count += 1
  })
})

afterAll(() => sandbox.close())

/** The rows that a backup gives back in a format; of JSON lines without the rows that other records show. */
async function rowsIn(bag: string, format: RecordFormat): Promise<Map<string, PlainRow[]>> {
  const backup = await BackupReader.open(bag)
  const tables = new Map<string, PlainRow[]>()
  const add = (table: string, row: PlainRow) => tables.set(table, [...(tables.get(table) ?? []), row])
  for (const table of RECORDS) {
    for await (const { row, lists } of backup.records(table, { format })) {
      add(table, row)
      for (const [list, rows] of lists) {
        if (list === 'users' || list === 'entries') continue
        for (const item of rows) add(list, item)
      }
    }
  }
  return tables
}

/** Texts and numbers as both sides have them. */
function plain(row: PlainRow): PlainRow {
  const cells = Object.entries(row).map(plainTime)
  return Object.fromEntries(
    cells.map(([name, value]) => [name, name === 'size_bytes' && value !== null ? Number(value) : value]),
  )
}

function expectWhole(read: ReadonlyMap<string, readonly PlainRow[]>, format: RecordFormat): void {
  const wanted = offeredRows(sandbox)
  const isOfFile = (row: PlainRow) => format === 'csv' && row['parent_kind'] === 'file'
  for (const [table, rows] of Object.entries(wanted)) {
    if (table === 'webhooks' || (format === 'csv' ? NOT_IN_CSV : ['users']).includes(table)) continue
    const held = rows.filter((row) => !isOfFile(row))
    // projects that only the list of a team shows
    const found = (read.get(table) ?? []).filter((row) => table !== 'projects' || row['permission'] !== 0)
    expect(asLines(found.map(plain)), `${table} of ${format}`).toEqual(asLines(held.map(plain)))
  }
  for (const table of ['task_comments', 'project_members', 'teams', 'entries'])
    expect(read.get(table)?.length).toBeGreaterThan(1)
  expect(read.get('comment_files')?.filter((row) => row['parent_kind'] === 'task').length).toBeGreaterThan(0)
}

/** The texts of the files whose paths match. */
async function textOf(bag: string, path: RegExp): Promise<string> {
  const files = await filesOf(join(bag, 'data'))
  return [...files]
    .filter(([name]) => path.test(name))
    .map(([, text]) => text)
    .join('')
}

const payloadOf = async (bag: string) => Object.fromEntries(withoutReading(await filesOf(join(bag, 'data'))))

describe('a service that offers everything', () => {
  test('is whole in the CSV and the JSON lines of a backup of it', { tags: 'thorough' }, async () => {
    const { bag, contents } = await apiBackup(sandbox, { ...ALL, isExtended: true })
    expect(contents.status).toBe('complete')
    for (const format of ['csv', 'jsonl'] as const) expectWhole(await rowsIn(bag, format), format)
  })

  test('shows comments of tasks, groups without tasks, members and e-mail addresses in documents', async () => {
    const [pid = ''] = sandbox.pids
    sandbox.store.change(pid, ({ entries }) => {
      const created_at = '2024-01-02T03:04:05.000Z'
      entries.push({ entry_id: 'empty', name: 'Nothing to do', created_at, updated_at: created_at, pos: 1 })
    })
    const { members } = sandbox.store.truth(pid)
    const { bag } = await apiBackup(sandbox, { ...ALL, isExtended: true })
    const markdown = await textOf(bag, /^markdown\/.*\/tasks\//)
    expect(markdown).toContain(`\nComment of `)
    expect(markdown).toContain(`- Attached: `)
    const readme = await textOf(bag, new RegExp(`^markdown/[^/]*--${pid}/README.md$`))
    expect(readme).toContain('- Nothing to do, tasks: 0\n')
    expect(readme).toContain(`\n## Members (${members.length})\n`)
    const html = await textOf(bag, /^html\/.*\/tasks\/.*\.html$/)
    expect(html).toContain('id="comment-with-a-file"')
    expect(await textOf(bag, /^html\/.*\/board\.html$/)).toContain('Nothing to do')
    expect(await textOf(bag, /^html\/people\/.*\.html$/)).toContain(members[0]?.email)
    expect(await textOf(bag, /^html\/people\/.*\.html$/)).toMatch(
      /<span data-t>(administrator|member|visitor|guest)<\/span><span data-t>joined /,
    )
  })

  testThoroughly('says in its manifest whether the service lists posts', async () => {
    const warehouse = await fillWarehouse(sandbox, await warehouseInTurn(), undefined, true)
    onTestFinished(() => warehouse.close())
    const postsIn = async (bag: string) => JSON.parse(await textOf(bag, /^backup\.json$/)).posts
    const listed = 'those that the service lists, and others that are known'
    expect(await postsIn((await backupOf(warehouse, await scratch(), {})).path)).toBe(listed)
    expect(await postsIn((await apiBackup(sandbox, { isExtended: true })).bag)).toBe(listed)
    expect(await postsIn((await apiBackup(sandbox)).bag)).toBe('those that are known: the service lists none')
  })

  testThoroughly('names the owner of the token in its manifest and its report', async () => {
    const { uid, display_name } = sandbox.store.caller
    const warehouse = await fillWarehouse(sandbox, await warehouseInTurn(), undefined, true)
    onTestFinished(() => warehouse.close())
    const bags = [
      (await apiBackup(sandbox, { isExtended: true })).bag,
      (await backupOf(warehouse, await scratch(), {})).path,
    ]
    for (const bag of bags) {
      const manifest = JSON.parse(await textOf(bag, /^backup\.json$/))
      expect(manifest.account).toEqual({ uid, name: display_name })
      expect(await textOf(bag, /^report\.html$/)).toContain(
        `<dt data-t>Read as</dt><dd dir="auto">${display_name} (${uid})</dd>`,
      )
    }
    const { bag: without } = await apiBackup(sandbox)
    expect(JSON.parse(await textOf(without, /^backup\.json$/))).not.toHaveProperty('account')
    expect(await textOf(without, /^report\.html$/)).not.toContain('Read as</dt>')
  })

  testThoroughly('a changed comment of a task is a change of the task, in CSV and in JSON lines', async () => {
    const [pid = ''] = sandbox.pids
    const tid = sandbox.store.truth(pid).tasks[0]?.tid ?? ''
    for (const format of ['csv', 'jsonl'] as const) {
      const formats = new Set<Format>([format])
      const { bag: before } = await apiBackup(sandbox, { formats, isExtended: true })
      sandbox.store.change(pid, ({ task_comments }) => {
        const [comment] = task_comments[tid] ?? []
        if (comment) comment.raw_message += ` edited in ${format}`
      })
      const { bag: after } = await apiBackup(sandbox, { formats, isExtended: true })
      const { changes } = await compared(before, after)
      expect(changes).toMatchObject([{ kind: 'task', id: tid, changes: ['changed'], fields: ['comments'] }])
    }
  })

  testThoroughly('gives the same bytes from the warehouse as from the service', async () => {
    const warehouse = await fillWarehouse(sandbox, await warehouseInTurn(), undefined, true)
    onTestFinished(() => warehouse.close())
    const fromWarehouse = await payloadOf((await backupOf(warehouse, await scratch(), ALL)).path)
    const fromApi = await payloadOf((await apiBackup(sandbox, { ...ALL, isExtended: true })).bag)
    expect(Object.keys(fromWarehouse)).toEqual(Object.keys(fromApi))
    for (const [path, text] of Object.entries(fromApi)) expect(fromWarehouse[path], path).toBe(text)
  })
})
