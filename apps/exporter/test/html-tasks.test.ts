import { join } from 'node:path'
import { NO_CHROMIUM } from '@collab-etl/harness/chromium'
import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import { expect, test } from 'vitest'
import { writeBag } from './backup-in.ts'
import { openSite } from './chromium.ts'
import { writeSite } from './html-site.ts'
import { handMadeSource, projectRow, taskRow } from './rows.ts'
import { taskTables } from './task-rows.ts'

const PROJECT = 'many~1--P1'

test('every task has a page, and is once in the list or in the years of the archive', async () => {
  const { tasks, ...tables } = taskTables(1250)
  const { site } = await writeSite(handMadeSource({ tables: { ...tables, tasks } }))
  const files = await filesOf(site)
  const pages = [...files.keys()].filter((path) => path.includes('/tasks/task-'))
  expect(pages).toHaveLength(1250)
  const listed = (pattern: RegExp) =>
    [...files]
      .filter(([path]) => pattern.test(path))
      .flatMap(([, text]) => [...text.matchAll(/href="(tasks\/[^"]+)"/g)])
  const current = listed(/\/tasks(-\d+)?\.html$/).map(([, href]) => href)
  const archived = listed(/\/archive-\d{4}\.html$/).map(([, href]) => href)
  expect([current.length, archived.length]).toEqual([1125, 125])
  expect(new Set([...current, ...archived]).size).toBe(1250)
  expect([...files.keys()].filter((path) => /\/archive-/.test(path)).map((path) => path.slice(-9, -5))).toEqual([
    '2020',
    '2021',
    '2022',
  ])
  for (const number of [1, 2, 3]) {
    const page = files.get(`${PROJECT}/tasks${number === 1 ? '' : `-${number}`}.html`) ?? ''
    expect(page).toContain(`Page ${number} of 3`)
    expect(/rel="next"/.test(page)).toBe(number < 3)
    expect(/rel="prev"/.test(page)).toBe(number > 1)
  }
})

test('a list without tasks says so, and descriptions in the list of projects have no marks', async () => {
  const project = {
    ...projectRow('P1', 'Many'),
    description: '# 改善 **再現手順**は[以下](https://example.com)\n\n- <b>one</b>',
  }
  const { site } = await writeSite(handMadeSource({ tables: { projects: [project] } }))
  const files = await filesOf(site)
  for (const list of ['board', 'tasks', 'archive'])
    expect(files.get(`${PROJECT}/${list}.html`)).toContain('<p class="empty" data-t>There are no tasks.</p>')
  expect(files.get('index.html')).toMatch(/<p lang="ja" dir="auto">改善 再現手順は以下 one<\/p>/)
})

test('archived tasks are in the same years in HTML and Markdown', async () => {
  const archived = (tid: string, updated_at: string | null, created_at: string | null) =>
    taskRow('P1', tid, tid, { archived: true, updated_at, created_at })
  const tasks = [
    archived('a', '2024-12-31T23:59:59.999Z', '2020-01-01T00:00:00.000Z'),
    archived('b', null, '2021-06-01T00:00:00.000Z'),
    archived('c', null, null),
  ]
  const bag = await scratch()
  const tables = { projects: [projectRow('P1', 'Many')], tasks }
  await writeBag(bag, handMadeSource({ tables }), { formats: new Set(['html', 'markdown']) })
  const years = async (folder: string, list: RegExp) =>
    [...(await filesOf(join(bag, 'data', folder)))].flatMap(([path, text]) => {
      const [, year] = list.exec(path) ?? []
      return year === undefined ? [] : [[year, /(?:task-|--)([abc])(?=["<.])/.exec(text)?.[1]]]
    })
  const expected = [
    ['2021', 'b'],
    ['2024', 'a'],
    ['undated', 'c'],
  ]
  expect((await years('html', /archive-(.*)\.html$/)).sort()).toEqual(expected)
  expect((await years('markdown', /archive-(.*)\.md$/)).sort()).toEqual(expected)
})

test('the board has a column per group: open tasks first, then done ones, by position', async () => {
  const { site } = await writeSite(handMadeSource({ tables: taskTables(400) }))
  const board = (await filesOf(site)).get(`${PROJECT}/board.html`) ?? ''
  const columns = board.split('<div class="column"').slice(1)
  expect(columns.map((column) => /<h2[^>]*><a[^>]*>([^<]*)/.exec(column)?.[1])).toEqual([
    ...['Group 0', 'Group 1', 'Group 2', 'No group'],
  ])
  const rows = taskTables(400).tasks.filter((row) => row['entry_id'] === 'e1' && row['archived'] === false)
  const inOrder = (isDone: boolean) =>
    rows
      .filter((row) => row['completed'] === isDone)
      .sort((a, b) => Number(a['position']) - Number(b['position']))
      .map((row) => row['tid'])
  const shown = [...(columns[1] ?? '').matchAll(/href="tasks\/task-\d+--(t\d+)/g)].map(([, tid]) => tid)
  expect(shown).toEqual([...inOrder(false).slice(0, 40), ...inOrder(true)])
  expect(columns[1]).toContain(`${inOrder(false).length - 40} more open in the list`)
})

test('the page of a task has all that the service gives of it', async () => {
  const tables = taskTables(2, (row, index) => ({
    ...row,
    ...(index === 0 && { due_at: '2023-12-31T23:59:59.000Z', comment_count: 3, file_count: 2, watched: true }),
    ...(index === 0 && { extra: { fids: ['f1'], files: [{ fid: 'f1', name: 'plan.pdf' }] } }),
  }))
  const { site } = await writeSite(
    handMadeSource({ tables: { ...tables, task_watchers: [{ pid: 'P1', tid: 't10000', uid: 'u3' }] } }),
  )
  const page = (await filesOf(site)).get(`${PROJECT}/tasks/task-0--t10000.html`) ?? ''
  const text = page
    .replace(/<script>[\s\S]*?<\/script>/, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
  for (const part of [
    ...['Task 0', 'done', 'Group 0', 'Ann', 'red', 'About 0 .', 'Due 2023-12-31 23:59 UTC', 'First step'],
    ...[
      '1 of 1 done',
      'plan.pdf file f1 , not in the backup',
      '3 comments and 1 attachment',
      'Watchers Zoë',
      'Position 0',
      't10000',
      'Updated 2020-05-01',
    ],
  ]) {
    expect(text).toContain(part)
  }
})

test('a site without tasks has no tab, file or count of them', async () => {
  const bag = await scratch()
  const source = handMadeSource({ tables: taskTables(5) })
  await writeBag(bag, source, { formats: new Set(['html']), content: new Set(['pages']) })
  const files = await filesOf(join(bag, 'data/html'))
  expect([...files.keys()].filter((path) => /board|tasks|posts/.test(path))).toEqual([])
  const project = files.get(`${PROJECT}/index.html`) ?? ''
  expect(project).toContain('>Pages</a>')
  expect(project.replace(/<script>[\s\S]*?<\/script>/, '')).not.toMatch(/Tasks|task|Posts/)
})

/** The tasks that a filter should leave, by their titles. */
function expected(matches: (row: Record<string, unknown>, index: number) => boolean): string[] {
  const { tasks } = taskTables(300)
  return tasks
    .flatMap((row, index) => (row['archived'] === false && matches(row, index) ? [`Task ${index}`] : []))
    .sort()
}

test.skipIf(NO_CHROMIUM)('a list is filtered by its controls, by links, and by keys alone', async () => {
  const { site } = await writeSite(handMadeSource({ tables: taskTables(300) }))
  const { page, open, requests, complaints } = await openSite(site)
  await open(`${PROJECT}/tasks.html`)
  const rows = page.locator('.rows:not([hidden]) tbody tr')
  const titles = async () => (await rows.locator('td:first-child > a').allTextContents()).sort()
  const status = (text: string) => page.locator('.finder-status', { hasText: text }).waitFor()
  expect(await rows.count()).toBe(270)

  await page.getByLabel('State', { exact: true }).selectOption('open')
  await status('180 of 270')
  expect(await titles()).toEqual(expected((row) => row['completed'] === false))
  expect(page.url()).toContain('#state=open')
  await page.getByLabel('Due', { exact: true }).selectOption('overdue')
  const isOverdue = (row: Record<string, unknown>) => row['due_at'] !== null && String(row['due_at']) < '2024-01-01'
  const overdue = expected((row) => row['completed'] === false && isOverdue(row))
  await status(`${overdue.length} of 270`)
  expect(await titles()).toEqual(overdue)
  expect(await rows.locator('.overdue').count()).toBe(overdue.length)

  await page.getByRole('button', { name: 'Reset' }).click()
  await page.goto(`${page.url().replace(/#.*/, '')}#label=blue`)
  const blue = expected((_, index) => index % 10 === 5)
  await status(`${blue.length} of 270`)
  expect(await titles()).toEqual(blue)

  // Keys alone: from the heading to the text, then to the group.
  await page.getByRole('button', { name: 'Reset' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('task 7')
  const withSeven = expected((_, index) => `${index}`.includes('7'))
  await status(`${withSeven.length} of 270`)
  await page.keyboard.press('Tab')
  await page.keyboard.type('Group 2')
  const both = expected((row, index) => `${index}`.includes('7') && row['entry_id'] === 'e2')
  await status(`${both.length} of 270`)
  expect(await titles()).toEqual(both)

  await page.goto(`${page.url().replace(/#.*/, '')}#person=u2&sort=updated`)
  const ofPerson = expected((_, index) => index % 2 === 0 && index % 3 === 1)
  await status(`${ofPerson.length} of 270`)
  expect(await titles()).toEqual(ofPerson)
  expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([])
  expect(complaints).toEqual([])
})
