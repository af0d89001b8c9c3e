import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import { describe, expect, test } from 'vitest'
import { TARGET_NAMES } from '../src/convert/targets.ts'
import { writeBag } from './backup-in.ts'
import { backupIn, type Cells, converted, FORMATS, LARGE, NAMES, rowsOf, source } from './conversions.ts'
import { hasTool, shell } from './tools.ts'

const FILE = '=Plan - 1-2'
const TODOIST = 'TYPE CONTENT DESCRIPTION PRIORITY INDENT AUTHOR RESPONSIBLE DATE DATE_LANG TIMEZONE'.split(' ')
const shown = (name: string) => name.replace(/\s+/g, ' ').trim() || 'Untitled'

describe('collab-export convert', () => {
  test.each(Object.keys(FORMATS) as (keyof typeof FORMATS)[])(
    'every target takes a backup with %s alone',
    { timeout: 120_000 },
    async (format) => {
      const backup = await backupIn(format)
      for (const target of TARGET_NAMES) {
        const { summary, names } = await converted(backup, target)
        expect(summary, target).toMatchObject({ format, projects: 2, incomplete: [] })
        expect(names.sort(), target).toEqual(summary.files.toSorted())
        const lacksWatchers = summary.lacking.some((text: string) => /^(?:tasks|pages): .*watchers/.test(text))
        expect(lacksWatchers, target).toBe(format === 'csv')
      }
    },
  )

  test('Jira: a Summary in each row, one column per label and comment, dates of one form', async () => {
    const { out, summary } = await converted(await backupIn('csv'), 'jira')
    const columns = [
      'Summary',
      'Issue Type',
      'Status',
      'Assignee',
      'Due Date',
      'Date Created',
      'Date Modified',
      'Description',
      'Labels',
      'Comment',
    ]
    const rows = await rowsOf(join(out, `${FILE}.csv`), columns)
    expect(rows).toHaveLength(NAMES.length + 4)
    for (const row of rows) {
      expect(row['Summary']).toMatch(/^.{1,255}$/u)
      for (const name of ['Due Date', 'Date Created', 'Date Modified'])
        expect(row[name]).toMatch(/^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)?$/)
      expect(row['Labels']).not.toMatch(/\s/)
    }
    // in the order of the board, and exactly as they are: no importer runs formulas
    const inGroup = (rest: number) =>
      NAMES.map(shown)
        .filter((_, i) => i % 2 === rest)
        .toReversed()
    expect(rows.map((row) => row['Summary']).slice(3, -1)).toEqual([...inGroup(0), ...inGroup(1)])
    const done = rows.find((row) => row['Summary'] === 'Done')
    expect(done).toMatchObject({
      Status: 'Done',
      Comment: expect.stringMatching(/^2024-01-01 08:00:00;;Comment of User 1/),
    })
    expect(rows.find((row) => row['Summary'] === '=1+1')).toMatchObject({
      Status: '=Doing, "now"',
      'Due Date': '2026-03-04 00:00:00',
    })
    expect(rows.find((row) => row['Summary'] === '-2')).toMatchObject({ Assignee: 'u2@example.com' })
    expect(rows.find((row) => row['Summary']?.startsWith('long'))?.['Description']).toContain(
      'long '.repeat(600).trim(),
    )
    expect(summary.not_converted).toContainEqual({
      pid: 'P1',
      project: '=Plan: 1/2',
      kind: 'pages',
      field: '',
      where: 'left out',
      records: 2,
    })
  })

  test('Linear: the columns of its own export, one status each', async () => {
    const { out } = await converted(await backupIn('jsonl'), 'linear')
    const columns = [
      'Title',
      'Description',
      'Status',
      'Priority',
      'Assignee',
      'Labels',
      'Due Date',
      'Created',
      'Updated',
      'Completed',
    ]
    const rows = await rowsOf(join(out, `${FILE}.csv`), columns)
    expect(rows).toHaveLength(NAMES.length + 4)
    for (const row of rows) expect(row['Priority']).toBe('No priority')
    // its importer splits at commas before capitals
    expect(rows.find((row) => row['Title'] === 'a,b;c d|e')?.['Labels']).toBe('A b;c d|e')
    expect(rows.find((row) => row['Title'] === 'Archived')?.['Status']).toBe('Canceled')
    expect(rows.find((row) => row['Title'] === 'Done')).toMatchObject({
      Status: 'Done',
      Completed: '2025-01-02T03:04:05.678Z',
    })
  })

  test('GitHub: each line is a body of its import API, within its limits', async () => {
    const backup = await backupIn('jsonl')
    const people = join(await scratch(), 'people.csv')
    await writeFile(people, 'uid,account\nu0,octocat\nu1,\n')
    const { out } = await converted(backup, 'github', '--people', people)
    const lines = (await readFile(join(out, `${FILE}.jsonl`), 'utf8')).trimEnd().split('\n')
    const bodies = lines.map((line) => JSON.parse(line))
    expect(bodies).toHaveLength(NAMES.length + 4)
    const fields = ['title', 'body', 'created_at', 'updated_at', 'closed_at', 'assignee', 'closed', 'labels']
    for (const { issue, comments, ...rest } of bodies) {
      expect(rest).toEqual({})
      expect(fields).toEqual(expect.arrayContaining(Object.keys(issue)))
      expect(issue.title).toMatch(/^.{1,256}$/u)
      for (const { body } of [issue, ...comments]) expect(body.length).toBeLessThanOrEqual(65_536)
      for (const label of issue.labels) expect(label).toMatch(/^.{1,50}$/u)
      for (const { created_at: at } of [issue, ...comments]) expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    }
    const far = bodies.find(({ issue }) => issue.title === 'Far away')
    expect([far.issue, ...far.comments].map(({ body }) => body).join('')).toContain(LARGE.trim())
    const done = bodies.find(({ issue }) => issue.title === 'Done')
    expect(done.issue).toMatchObject({ closed: true, closed_at: '2025-01-02T03:04:05Z', assignee: 'octocat' })
    expect(done.comments).toEqual([
      { created_at: '2024-01-01T08:00:00Z', body: expect.stringContaining('/close this') },
    ])
    expect(bodies.filter(({ issue }) => issue.assignee).length).toBe(NAMES.filter((_, i) => i % 3 === 0).length + 1)
  })

  test('GitLab: no text is a command, completed and archived tasks are counted', async () => {
    const backup = await backupIn('jsonl')
    const people = join(await scratch(), 'people.csv')
    await writeFile(people, 'uid,account,more\nu1,@ann,x\n')
    const { out, summary } = await converted(backup, 'gitlab', '--people', people)
    const rows = await rowsOf(join(out, `${FILE}.csv`), ['title', 'description', 'due_date'])
    expect(rows).toHaveLength(NAMES.length + 2)
    for (const { title = '', description = '', due_date } of rows) {
      expect(title).toMatch(/^.{1,255}$/u)
      expect(due_date).toMatch(/^(?:\d{4}-\d\d-\d\d)?$/)
      const commands = description.replaceAll('\r', '').match(/^\s*\/.*$/gm) ?? []
      const actions = description.split('\n\n')[0]?.split('\n') ?? []
      for (const command of commands) {
        expect(actions).toContain(command)
        expect(command).toMatch(/^\/(?:label(?: ~"[^"]+")+|assign @ann)$/)
      }
    }
    expect(rows.find(({ title }) => title === '+1')?.['description']).toMatch(/^\/label ~"\+1"\n\/assign @ann\n\n/)
    const left = summary.not_converted.filter(({ kind, where }: Cells) => kind === 'tasks' && where === 'left out')
    expect(left.map(({ field, records }: Cells) => [field, records])).toEqual(
      expect.arrayContaining([
        ['archived', 1],
        ['completed', 1],
      ]),
    )
  })

  test('Todoist: sections, tasks, their notes and sub-tasks, in the documented columns', async () => {
    const { out } = await converted(await backupIn('jsonl'), 'todoist')
    const rows = await rowsOf(join(out, `${FILE}.csv`), TODOIST)
    for (const row of rows) {
      expect(row['TYPE']).toMatch(/^(?:task|section|note)$/)
      expect(row['CONTENT']).not.toBe('')
      expect(row['DATE']).toMatch(/^(?:\d{4}-\d\d-\d\d)?$/)
      if (row['TYPE'] === 'task') expect(row).toMatchObject({ PRIORITY: '4', INDENT: expect.stringMatching(/^[12]$/) })
    }
    expect(rows.filter(({ TYPE }) => TYPE === 'section').map(({ CONTENT }) => CONTENT)).toEqual([
      '=Doing, "now"',
      'To do',
      'Empty',
    ])
    const tasks = rows.filter(({ INDENT }) => INDENT === '1')
    expect(tasks).toHaveLength(NAMES.length + 2)
    expect(rows.filter(({ INDENT }) => INDENT === '2')).toHaveLength(NAMES.filter((_, i) => i % 3 !== 0).length)
    expect(tasks.find(({ CONTENT }) => CONTENT === '=1+1 @=1+1')).toMatchObject({ DATE: '2026-03-04', DATE_LANG: 'en' })
  })

  test.runIf(hasTool('unzip')).each(['notion', 'outline'] as const)(
    '%s: an archive of Markdown without front matter, whose links lead to its files',
    async (target) => {
      const { out, summary } = await converted(await backupIn('jsonl'), target)
      const names = new Set(
        (await shell(out, 'unzip -Z1 pages.zip; unzip -q pages.zip -d unpacked')).trimEnd().split('\n'),
      )
      const files = await filesOf(join(out, 'unpacked'))
      expect(files.size).toBe(summary.pages)
      // All are in a folder, which is in the archive itself: Outline makes collections of the first ones.
      for (const [name, text] of files) {
        expect(name).toMatch(/^[^/]+\/.*\.md$/)
        expect(names).toContain(name.slice(0, name.lastIndexOf('/') + 1))
        expect(text).toMatch(/^# /)
        for (const [, path = ''] of text.matchAll(/\]\((\.[^)]*)\)/g)) {
          expect([...files.keys()]).toContain(posix.join(posix.dirname(name), decodeURI(path)))
        }
      }
      expect(files.has(`${FILE}/events.md`)).toBe(true)
      expect(files.get(`${FILE}/pages/Guide/Child.md`)).toBe('# Child\n\nsee /pages/a1')
      expect(files.get(`${FILE}/posts/News.md`)).toContain('[guide](../pages/Guide.md)')
      expect(files.has(`${FILE}/tasks/To do.md`)).toBe(target === 'outline')
      if (target === 'outline') return
      const rows = await rowsOf(join(out, `${FILE}.csv`), [
        'Name',
        'Group',
        'Done',
        'Archived',
        'Assignees',
        'Labels',
        'Due',
        'Completed',
        'Created',
        'Updated',
        'Description',
      ])
      expect(rows.find(({ Name }) => Name === 'Done')).toMatchObject({
        Done: 'Yes',
        Completed: '2025-01-02T03:04:05.678Z',
      })
    },
  )

  test('the list of people, filled in, names their accounts', async () => {
    const backup = await backupIn('csv')
    const { out } = await converted(backup, 'jira')
    const rows = await rowsOf(join(out, 'people.csv'), ['uid', 'name', 'email', 'account'])
    expect(rows).toContainEqual({ uid: 'u2', name: 'User 2', email: 'u2@example.com', account: 'u2@example.com' })
    expect((await converted(backup, 'jira', '--people', join(out, 'people.csv'))).summary.unknown_people).toEqual([])
  })

  test('a backup that lacks a stream of tasks is converted with exit code 3', async () => {
    const bag = join(await scratch(), 'bag')
    await mkdir(bag)
    const error = { code: 'HTTP', message: 'failed' }
    const partial = Object.assign(source(), {
      scopes: async () => [
        { pid: 'P1', stream: 'tasks', status: 'complete', error: null },
        { pid: 'P1', stream: 'archived_tasks', status: 'failed', error },
        { pid: 'P1', stream: 'posts', status: 'failed', error },
      ],
    })
    await writeBag(bag, partial, { formats: new Set(['jsonl']) })
    const out = join(await scratch(), 'out')
    const { code, stdout } = await run('collab-export', ['convert', bag, '--for', 'linear', '--out', out, '--json'])
    expect(code).toBe(3)
    expect(JSON.parse(stdout).incomplete).toEqual([
      expect.objectContaining({ pid: 'P1', stream: 'archived_tasks', status: 'failed' }),
    ])
  })

  test('what is wrong is one line, and leaves nothing behind', async () => {
    const backup = await backupIn('jsonl')
    const [full, empty] = [await scratch(), await scratch()]
    await writeFile(join(full, 'note.txt'), '')
    const people = join(await scratch(), 'people.csv')
    await writeFile(people, 'uid,account\nu0,a\nu0,b\n')
    const expectRefused = async (code: number, text: string, ...args: string[]) => {
      const result = await run('collab-export', ['convert', ...args])
      expect({ code: result.code, stdout: result.stdout, lines: result.stderr.trim().split('\n').length }).toEqual({
        code,
        stdout: '',
        lines: 1,
      })
      expect(result.stderr).toContain(text)
    }
    await expectRefused(2, 'is not empty', backup, '--for', 'jira', '--out', full)
    await expectRefused(2, 'names u0 twice', backup, '--for', 'jira', '--out', join(empty, 'x'), '--people', people)
    const html = join(await scratch(), 'bag')
    await mkdir(html)
    await writeBag(html, source(), { formats: new Set(['markdown']) })
    await expectRefused(2, 'has no tasks for GitHub', html, '--for', 'github', '--out', empty)
    await writeFile(
      join(
        backup,
        'data/jsonl/=plan-1-2--P1/tasks.jsonl'.replace(
          '=plan-1-2--P1',
          (await readdir(join(backup, 'data/jsonl'))).find((name) => name.includes('plan')) ?? '',
        ),
      ),
      '{}\n',
    )
    await expectRefused(5, 'tasks.jsonl', backup, '--for', 'jira', '--out', empty)
    expect(await readdir(empty)).toEqual([])
    expect((await readdir(join(empty, '..'))).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})
