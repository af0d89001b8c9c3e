import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Content, Format } from '@collab-etl/backups'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { type CommentRecord, type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { apiBackup } from './api-backup.ts'
import { writeBag } from './backup-in.ts'
import { compared } from './diff-of.ts'
import { goldenSource } from './golden-source.ts'
import { eventRow, handMadeSource, pageRow, projectRow, taskRow } from './rows.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ projects: 2, tasks: 5, archived: 5, pages: 12, posts: 6, events: 2 })
})

afterAll(async () => {
  await sandbox.close()
})

const diff = async (...args: readonly string[]) => run('collab-export', ['diff', ...args], { cwd: await scratch() })

async function bagOf(
  pages: readonly ReturnType<typeof pageRow>[],
  formats: readonly Format[] = ['csv'],
): Promise<string> {
  const folder = await scratch()
  const source = handMadeSource({ tables: { projects: [projectRow('p', 'Project')], pages } })
  await writeBag(folder, source, { formats: new Set(formats) })
  return folder
}

async function golden(formats: readonly Format[] = ['csv']): Promise<string> {
  const folder = await scratch()
  await writeBag(folder, goldenSource(), { formats: new Set(formats) })
  return folder
}

describe('collab-export diff', () => {
  test('--json-file writes the document besides the table and the patches', async () => {
    const bag = (content: string) => bagOf([pageRow('p', 'a', 'Page', { content })])
    const file = join(await scratch(), 'diff.json')
    const { code, stdout } = await diff(await bag('old'), await bag('new'), '--patch', '--json-file', file)
    expect([code, stdout]).toEqual([5, expect.stringContaining('+new')])
    const { changes } = JSON.parse(await readFile(file, 'utf8'))
    expect(changes).toMatchObject([{ id: 'a', patch: expect.stringContaining('+new') }])
  })

  testThoroughly('finds one change after cells of several megabytes with quotes and line breaks', async () => {
    const long = 'a "quoted" word,\r\n"\n'.repeat(120_000)
    const pages = (last: string) => [
      ...Array.from({ length: 3 }, (_, n) => pageRow('p', `n${n}`, `"${n}",\n`, { content: long })),
      pageRow('p', 'o', 'Last', { content: last }),
    ]
    const { changes } = await compared(await bagOf(pages('before')), await bagOf(pages('after')))
    expect(changes.map(({ id, fields }) => [id, fields])).toEqual([['o', ['content']]])
  })

  test('finds edits made between two backups, also several of one record', async () => {
    const [pid = '', other = ''] = sandbox.pids
    const before = await apiBackup(sandbox)
    const { pages, posts } = sandbox.store.truth(pid)
    const linked = posts.find(({ post, comments }) => {
      return comments.length > 0 && !sandbox.store.truth(pid).unlinked_posts.includes(post.post_id)
    })
    const [both, gone, mover] = pages.filter(({ parent_id }) => parent_id !== '')
    const created = sandbox.store.newId()
    sandbox.store.change(pid, (project) => {
      const page = project.pages.find(({ page_id }) => page_id === both?.page_id)
      if (page) Object.assign(page, { name: 'Renamed \u001b[31m', parent_id: '', content: 'other' })
      project.pages = project.pages.filter(({ page_id }) => page_id !== gone?.page_id && page_id !== mover?.page_id)
      if (both) project.pages.push({ ...both, page_id: created, name: 'New' })
      const post = project.posts.find((candidate) => candidate.post.post_id === linked?.post.post_id)
      post?.comments.pop()
    })
    sandbox.store.change(other, (project) => {
      if (mover) project.pages.push({ ...mover, pid: other })
    })
    const after = await apiBackup(sandbox)

    const json = await diff(before.bag, after.bag, '--json')
    expect(json).toMatchObject({ code: 5, stderr: '' })
    const found = JSON.parse(json.stdout)
    const changes = Object.fromEntries(
      found.changes.map((change: { id: string; changes: string[] }) => [change.id, change]),
    )
    expect(changes[both?.page_id ?? '']).toMatchObject({
      changes: ['moved', 'renamed', 'changed'],
      fields: ['content'],
    })
    expect(changes[gone?.page_id ?? '']).toMatchObject({ changes: ['removed'], after: null })
    expect(changes[created]).toMatchObject({ changes: ['added'], before: null, after: { title: 'New' } })
    expect(changes[mover?.page_id ?? '']).toMatchObject({ before: { pid }, after: { pid: other } })
    expect(changes[mover?.page_id ?? ''].changes).toContain('moved')
    const comments = linked?.comments.length ?? 0
    expect(changes[linked?.post.post_id ?? '']).toMatchObject({
      changes: ['changed'],
      fields: ['comments'],
      comments: { before: comments, after: comments - 1 },
    })
    expect(found).toMatchObject({
      form: 'csv',
      equal: false,
      counts: {
        pages: { added: 1, removed: 1, moved: 2, renamed: 1, changed: 1 },
        posts: { added: 0, removed: 0, changed: 1 },
      },
    })

    const shown = await diff(before.bag, after.bag)
    expect(shown.code).toBe(5)
    expect(shown.stdout).toContain(`(${pid})`)
    expect(shown.stdout).toContain(`parent page: ${both?.parent_id} → none`)
    expect(shown.stdout).toContain(`comments ${comments} → ${comments - 1}`)
    expect(shown.stdout).toMatch(
      /Different: files \d removed; pages 1 added, 1 removed, 2 moved, 1 renamed, 1 changed; posts 1 changed/,
    )
    expect(shown.stdout).not.toContain('\u001b')
    const one = await diff(before.bag, after.bag, '--project', other, '--json')
    expect(JSON.parse(one.stdout).changes).toMatchObject([{ id: mover?.page_id, changes: ['added'] }])
  })

  test('shows changed texts as unified diffs', async () => {
    const a = await bagOf([pageRow('p', '1', 'One', { content: 'a\nb\nc\n' }), pageRow('p', '2', 'Two')])
    const b = await bagOf([pageRow('p', '1', 'One', { content: 'a\nB\nc' }), pageRow('p', '3', 'Three')])
    const { code, stdout } = await diff(a, b, '--patch')
    expect(code).toBe(5)
    const patch =
      '--- a/p/pages/1\n+++ b/p/pages/1\n@@ -1,3 +1,3 @@\n a\n-b\n-c\n+B\n+c\n\\ No newline at end of file\n'
    expect(stdout).toContain(patch)
    expect(stdout).toContain('--- a/p/pages/2\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-# Two\n')
    expect(stdout).toContain('--- /dev/null\n+++ b/p/pages/3\n@@ -0,0 +1,1 @@\n+# Three\n')
    const json = JSON.parse((await diff(a, b, '--patch', '--json')).stdout)
    expect(json.changes[0].patch).toBe(patch)
  })

  test.each(['csv', 'jsonl'] as const)('an event with several occurrences is one record: %s', async (format) => {
    const bagIn = async (occurrences: readonly (readonly [at: string, name: string, uids: readonly string[]])[]) => {
      const folder = await scratch()
      const ofEvent = { pid: 'p', event_id: 'v' }
      const tables = {
        projects: [projectRow('p', 'Project')],
        events: occurrences.map(([at, name]) => eventRow('p', 'v', at, name)),
        event_attendees: occurrences.flatMap(([at, , uids]) => uids.map((uid) => ({ ...ofEvent, starts_at: at, uid }))),
      }
      await writeBag(folder, handMadeSource({ tables }), { formats: new Set([format]) })
      return folder
    }
    const [monday, next] = ['2024-01-01T09:00:00.000Z', '2024-01-08T09:00:00.000Z']
    const before = await bagIn([
      [monday, 'Talk', ['u1']],
      [next, 'Talk', ['u1', 'u2']],
    ])
    const changesTo = async (...occurrences: Parameters<typeof bagIn>[0]) =>
      (await compared(before, await bagIn(occurrences))).changes
    const renamed = await changesTo([monday, 'Walk', ['u1']], [next, 'Walk', ['u1', 'u2']])
    expect(renamed).toMatchObject([{ kind: 'event', id: 'v', changes: ['renamed'], fields: [] }])
    const left = await changesTo([monday, 'Talk', ['u1']], [next, 'Talk', ['u1']])
    expect(left).toMatchObject([{ changes: ['changed'], fields: ['attendees'] }])
    const one = await changesTo([monday, 'Talk', ['u1']], [next, 'Walk', ['u1', 'u2']])
    expect(one).toMatchObject([{ changes: ['changed'], fields: ['name'] }])
    const [fewer] = await changesTo([monday, 'Talk', ['u1']])
    expect(fewer).toMatchObject({ changes: ['changed'], fields: expect.arrayContaining(['starts_at', 'attendees']) })
    expect(await changesTo()).toMatchObject([{ changes: ['removed'] }])
  })

  test('a task that was archived changed, and none if its project or group was renamed', async () => {
    const bagIn = async (name: string, archived: boolean) => {
      const folder = await scratch()
      const tables = {
        projects: [projectRow('p', name)],
        entries: [{ pid: 'p', entry_id: 'e', name, extra: null }],
        tasks: [taskRow('p', 't1', 'One', { entry_id: 'e' }), taskRow('p', 't2', 'Two', { archived, entry_id: 'e' })],
      }
      await writeBag(folder, handMadeSource({ tables }), { formats: new Set(['jsonl']) })
      return folder
    }
    const { changes } = await compared(await bagIn('Old', false), await bagIn('New', true))
    expect(changes).toMatchObject([{ kind: 'task', id: 't2', changes: ['changed'] }])
    expect(changes[0]?.fields).toContain('archived')
  })

  testThoroughly('compares comments of tasks only where both backups record them', async () => {
    const service = await startSandbox({ projects: 1, tasks: 5, archived: 2, pages: 1, posts: 2, extended: true })
    onTestFinished(() => service.close())
    const [pid = ''] = service.pids
    const read = async (isExtended: boolean, format: Format) =>
      (await apiBackup(service, { isExtended, formats: new Set([format]) })).bag
    for (const format of ['csv', 'jsonl'] as const) {
      const [without, all] = [await read(false, format), await read(true, format)]
      expect((await compared(without, all)).changes.filter(({ kind }) => kind === 'task')).toEqual([])
      const { tasks, task_comments } = service.store.truth(pid)
      const tid = tasks.find(({ badges }) => badges.comment_count > 0)?.tid ?? ''
      const comments = structuredClone(task_comments[tid]) as CommentRecord[]
      service.store.change(pid, (project) => {
        project.task_comments[tid] = comments.map((comment) => ({ ...comment, raw_message: `edited for ${format}` }))
      })
      expect((await compared(all, await read(true, format))).changes).toMatchObject([
        { kind: 'task', id: tid, fields: expect.arrayContaining(['comments']) },
      ])
    }
  })

  test('compares the kinds that both backups hold, and names the others', async () => {
    const bagIn = async (formats: readonly Format[], content: readonly Content[]) => {
      const folder = await scratch()
      await writeBag(folder, goldenSource(), { formats: new Set(formats), content: new Set(content) })
      return folder
    }
    const tasks = await bagIn(['csv'], ['tasks', 'events'])
    const some = await bagIn(['csv'], ['pages', 'tasks', 'users'])
    const found = await compared(tasks, some)
    expect(found).toMatchObject({ kinds: ['task'], changes: [] })
    expect(found.leftOut.filter(({ why }) => why === 'not_held')).toEqual([
      { pid: null, kind: 'event', not_in: 'after', why: 'not_held' },
      { pid: null, kind: 'page', not_in: 'before', why: 'not_held' },
    ])
    const { code, stdout } = await diff(tasks, some)
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Not compared: pages, not .*/m) })
    await expect(compared(tasks, await bagIn(['csv'], ['files']))).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('no records that both cover'),
    })
  })

  test('does not read files that are identical according to the manifests', async () => {
    const [a, b] = [await golden(), await golden()]
    await rm(join(a, 'data/csv/pages.csv'))
    expect((await compared(a, b)).changes).toEqual([])
  })

  test.each([
    ['data/csv/pages.csv', /damaged: changed data\/csv\/pages\.csv/],
    ['manifest-sha256.txt', /damaged: changed manifest-sha256\.txt/],
    ['data/backup.json', /damaged: changed data\/backup\.json/],
  ])('refuses a backup whose %s was changed, rather than tell a difference', async (path, message) => {
    const a = await golden()
    const b = await bagOf([pageRow('p', '1', 'One')])
    const bytes = await readFile(join(b, path))
    const last = bytes.length - 3
    bytes[last] = (bytes[last] ?? 0) ^ 1
    await writeFile(join(b, path), bytes)
    await expect(compared(a, b)).rejects.toMatchObject({ exitCode: 5, message: expect.stringMatching(message) })
  })

  test('reports damage in one line on stderr, with nothing on stdout', async () => {
    const a = await bagOf([pageRow('p', '1', 'One')])
    await writeFile(join(a, 'data/csv/pages.csv'), 'other')
    const { code, stdout, stderr } = await diff(a, await golden())
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
    expect(stderr).toMatch(/^collab-export: .* is damaged: changed data\/csv\/pages\.csv; .*\n$/)
  })

  test('rejects backups that cannot be compared, in one line, with exit code 2', async () => {
    const csv = await golden()
    const cases: [other: string, message: RegExp][] = [
      [await golden(['markdown']), /\(csv\) and .* \(markdown\) have no common format/],
      [await scratch(), /is neither a backup nor/],
      [join(csv, 'data/csv/pages.csv'), /is a file; unpack it/],
    ]
    for (const [other, message] of cases) {
      await expect(compared(csv, other)).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(message) })
    }
    const plain = await scratch()
    await writeBag(plain, goldenSource(), { formats: new Set<Format>(['markdown']), naming: 'plain' })
    const refused = compared(plain, await golden(['markdown']))
    await expect(refused).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/--links, --names or --task-files/),
    })
    const { code, stderr } = await diff(csv, csv, '--project', 'none')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'collab-export: --project: neither backup has a project none\n',
    })
  })
})
