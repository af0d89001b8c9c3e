import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyBag } from '@collab-etl/bagit'
import { testEveryNth, testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { describe, expect, test } from 'vitest'
import type { MadeBackup } from '../src/backup/make-backup.ts'
import { extentOf } from '../src/source/backup-rows.ts'
import { openWarehouseSource } from '../src/source/warehouse-source.ts'
import { OPTIONS } from './backup-in.ts'
import { dropTemplateAfterAll, expectSameAsFull, linkedPages, type Nights, SERVER } from './changing-warehouse.ts'
import { writtenIn } from './written-files.ts'

dropTemplateAfterAll()

describe.runIf(SERVER !== '')('tables of tasks, events, files and users', () => {
  const csvOf = async (made: MadeBackup, before: MadeBackup) =>
    (await writtenIn(made, before)).filter((name) => name.startsWith('csv/'))

  const ALL = [
    ...['entries', 'event_attendees', 'events', 'file_comments', 'files'],
    ...['task_labels', 'task_members', 'task_todos', 'task_watchers', 'tasks'],
  ]

  /** Every table of CSV has rows in every project. A task of the first project links to a page of it, and names a person. */
  async function filled(): Promise<{ readonly nights: Nights; readonly first: MadeBackup }> {
    const { nights } = await linkedPages()
    await nights.sql(`
      INSERT INTO collab.tasks (pid, tid, name, valid_from) SELECT pid, 'task', 'Task', now() FROM collab.projects;
      INSERT INTO collab.task_todos (pid, tid, todo_id, name, valid_from) SELECT pid, 'task', 'd', 'Todo', now() FROM collab.projects;
      INSERT INTO collab.events (pid, event_id, starts_at, name, valid_from) SELECT pid, 'event', now(), 'Event', now() FROM collab.projects;
      INSERT INTO collab.files (pid, fid, name, valid_from) SELECT pid, 'file', 'File', now() FROM collab.projects;
      DELETE FROM collab.task_members; DELETE FROM collab.task_watchers; DELETE FROM collab.event_attendees;
      UPDATE collab.tasks SET description = ''; UPDATE collab.files SET owner_uid = NULL;
      INSERT INTO collab.users (uid, name, valid_from) VALUES ('member', 'Member', now()), ('idle', 'Idle', now());
      UPDATE collab.tasks SET description = '[it](/pages/target) and [gone](/pages/gone)'
        WHERE tid = 'task' AND pid = (SELECT pid FROM collab.pages WHERE page_id = 'target');
      INSERT INTO collab.task_members (pid, tid, uid, valid_from)
        SELECT pid, 'task', 'member', now() FROM collab.pages WHERE page_id = 'target'`)
    return { nights, first: await nights.backup() }
  }

  test('are not written again if nothing changed, and are not read', async () => {
    const { nights, first } = await filled()
    const { made, read } = await readingBackup(nights)
    expect(await writtenIn(made, first)).toEqual([])
    expect(read).toEqual(['users'])
    await expectSameAsFull(nights, {}, made)
  })

  const causes: readonly (readonly [cause: string, change: string, projects: number])[] = [
    ['a page changed', "UPDATE collab.pages SET content = 'more' WHERE page_id = 'near'", 1],
    [
      'an item of a task changed',
      "UPDATE collab.task_todos SET name = '=1' WHERE pid = (SELECT min(pid) FROM collab.task_todos)",
      1,
    ],
    ['a project is renamed', "UPDATE collab.projects SET name = 'Elsewhere' WHERE name = 'Project 1'", 2],
    ['a page that others link to is renamed', "UPDATE collab.pages SET name = 'Goal' WHERE page_id = 'target'", 2],
    ['a person whom a task names is renamed', "UPDATE collab.users SET name = 'N' WHERE uid = 'member'", 1],
    ['a person whom no record names is renamed', "UPDATE collab.users SET name = 'N' WHERE uid = 'idle'", 0],
  ]

  testEveryNth(['html', 'jsonl'] as const, 2)(
    'are written as %s if a person or page that only a task names is renamed',
    async (form) => {
      const { nights } = await filled()
      const options = { formats: new Set([form]) }
      await nights.sql(`
      UPDATE collab.pages SET content = 'no links';
      UPDATE collab.tasks SET description = (SELECT '[it](/projects/' || pid || '/pages/target)' FROM collab.pages WHERE page_id = 'target')
        WHERE tid = 'task' AND pid = (SELECT pid FROM collab.pages WHERE page_id = 'far')`)
      await nights.backup(options)
      for (const [table, column, id] of [
        ['users', 'uid', 'member'],
        ['pages', 'page_id', 'target'],
      ]) {
        await nights.sql(`UPDATE collab.${table} SET name = 'Renamed' WHERE ${column} = '${id}'`)
        await expectSameAsFull(nights, options, await nights.backup(options))
      }
    },
  )

  testEveryNth(causes, 3)(
    'are read once if %s, of the projects that depend on it',
    async (_cause, change, projects) => {
      const { nights, first } = await filled()
      await nights.sql(change)
      const { made, read } = await readingBackup(nights)
      expect(read).toEqual([...(projects === 0 ? [] : ALL.map((table) => `${table} of ${projects}`)), 'users'])
      await expectSameAsFull(nights, {}, made)
      expect((await verifyBag(made.path, { fast: false })).damage).toEqual([])
      expect(made.name > first.name).toBe(true)
    },
  )

  testEveryNth(
    [
      ['UPDATE collab.events SET name = $$x$$', ['csv/events.csv']],
      ['UPDATE collab.files SET deleted_at = now() WHERE fid = $$file$$', ['csv/files.csv']],
      ['UPDATE collab.users SET display_name = $$x$$', ['csv/users.csv']],
      ['UPDATE collab.task_watchers SET deleted_at = now()', []],
    ] as const,
    4,
  )('after %s have what a full backup has', async (change, written) => {
    const { nights, first } = await filled()
    await nights.sql(change)
    const made = await nights.backup()
    expect(await csvOf(made, first)).toEqual(written)
    await expectSameAsFull(nights, {}, made)
  })

  /** A backup, and the tables that it read rows of: each with the number of readings, if the projects were read one by one. */
  async function readingBackup(nights: Nights): Promise<{ readonly made: MadeBackup; readonly read: string[] }> {
    const run = await nights.warehouse.log.lastFinishedRun()
    if (run === null) throw new Error('no run')
    const read = new Map<string, (string | undefined)[]>()
    const openSource = async () => {
      const source = await openWarehouseSource(nights.warehouse, run, undefined, extentOf(OPTIONS))
      const rows = source.rows.bind(source)
      source.rows = (table, options) => {
        const ofDocuments = /^(page|post|project|comment)/.test(table)
        if (!ofDocuments && !options?.columns) read.set(table, [...(read.get(table) ?? []), options?.pid])
        return rows(table, options)
      }
      return source
    }
    const made = await nights.backup({}, { openSource })
    const named = [...read].map(([table, pids]) => (pids.includes(undefined) ? table : `${table} of ${pids.length}`))
    return { made, read: named.sort() }
  }
})

if (SERVER !== '') {
  const LIST = 'markdown/project-1/files.md'

  testThoroughly('the list of files names pages that are reused, and changes with what names a file', async () => {
    const { nights } = await linkedPages()
    await nights.sql(`
      DELETE FROM collab.files; DELETE FROM collab.comment_files; UPDATE collab.post_comments SET raw_message = 'no link';
      INSERT INTO collab.files (pid, fid, name, valid_from) SELECT pid, 'file', 'File', now() FROM collab.pages WHERE page_id = 'near';
      UPDATE collab.pages SET content = '[f](/files/file)' WHERE page_id = 'near'`)
    let before = await nights.backup()
    const listed = async (change: string) => {
      await nights.sql(change)
      const made = await nights.backup()
      await expectSameAsFull(nights, {}, made)
      const isWritten = (await writtenIn(made, before)).includes(LIST)
      before = made
      const path = [...(await filesOf(made.path)).keys()].find((name) => /project-1--\w+\/files\.md$/.test(name)) ?? ''
      const links = (await readFile(join(made.path, path), 'utf8')).match(/(?<=^- \[)[^\]]+(?=\]\()/gm)
      return { isWritten, links }
    }
    const post = '(SELECT max(post_id) FROM collab.post_comments p WHERE p.pid = collab.files.pid)'
    const attach = `INSERT INTO collab.comment_files (pid, parent_kind, parent_id, cid, fid, name, valid_from)
      SELECT pid, 'post', ${post}, (SELECT max(cid) FROM collab.post_comments p WHERE p.pid = collab.files.pid AND p.post_id = ${post}), fid, 'f', now()
      FROM collab.files WHERE fid = 'file';
      UPDATE collab.posts SET name = 'With comment'`
    const [page, linking] = [
      "UPDATE collab.pages SET content = 'more'",
      "UPDATE collab.pages SET content = '[f](/files/file)'",
    ]
    expect(await listed(`${page} WHERE page_id = 'target'`)).toEqual({ isWritten: false, links: ['Near'] })
    expect(await listed(`${linking} WHERE page_id = 'target'`)).toEqual({ isWritten: true, links: ['Near', 'Target'] })
    expect(await listed("UPDATE collab.pages SET name = 'N' WHERE page_id = 'near'")).toMatchObject({ isWritten: true })
    expect(await listed(`${page} WHERE page_id = 'near'`)).toEqual({ isWritten: true, links: ['Target'] })
    expect(await listed(attach)).toEqual({ isWritten: true, links: ['Target', 'With comment'] })
    expect(await listed(`${page} || '!' WHERE page_id = 'near'`)).toEqual({
      ...{ isWritten: false, links: ['Target', 'With comment'] },
    })
  })
}
