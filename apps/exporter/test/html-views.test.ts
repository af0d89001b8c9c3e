import { NO_CHROMIUM } from '@collab-etl/harness/chromium'
import { ENGLISH } from '@collab-etl/harness/page-rules'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { expect, test } from 'vitest'
import { openSite } from './chromium.ts'
import { useSite, writeSite } from './html-site.ts'
import { commentRow, handMadeSource, pageRow, postRow, taskRow } from './rows.ts'
import { taskTables } from './task-rows.ts'
import { workspace } from './workspace-source.ts'

const workspaceSite = useSite(() => workspace())

const PROJECT = 'many~1--P1'

/** Eight groups of tasks, and a few other records. */
const groupsSite = useSite(() => {
  const tables = taskTables(400, (row, index) => ({ ...row, entry_id: `e${index % 8}` }))
  const entries = Array.from({ length: 8 }, (_, at) => ({ pid: 'P1', entry_id: `e${at}`, name: `Group ${at}` }))
  const posts = [
    postRow('P1', '1', 'Launch', { content: 'We **launch** on Monday.', owner_uid: 'u1' }),
    postRow('P1', '2', 'Quiet', { content: 'Nothing.' }),
  ]
  return handMadeSource({
    tables: {
      ...tables,
      entries,
      posts,
      pages: [pageRow('P1', 'a1', 'Guide')],
      post_comments: [commentRow('P1', '1', 'c1', { raw_message: 'Zebras are in.', owner_uid: 'u2' })],
    },
  })
})

for (const [screen, viewport] of NO_CHROMIUM
  ? []
  : ([
      ['a desktop', { width: 1440, height: 900 }],
      ['a phone', { width: 360, height: 780 }],
    ] as const)) {
  const declare = screen === 'a phone' ? test : testThoroughly
  declare(`the board fits ${screen}: its columns scroll, and the last can be reached`, async () => {
    const { site } = await groupsSite()
    const { page, open } = await openSite(site, { viewport })
    await open(`${PROJECT}/board.html`)
    expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBeLessThanOrEqual(0)
    const heading = page.getByRole('heading', { name: 'Group 1' })
    const before = await heading.boundingBox()
    await page
      .locator('.tickets')
      .nth(1)
      .evaluate((list) => list.scrollTo(0, 300))
    expect(await heading.boundingBox()).toEqual(before)
    await page.locator('.board').evaluate((board) => board.scrollTo(10_000, 0))
    const last = await page.getByRole('heading', { name: 'Group 7' }).boundingBox()
    expect((last?.x ?? 9999) + (last?.width ?? 0)).toBeLessThanOrEqual(viewport.width)

    const done = page.locator('.ticket.done').first()
    expect(await done.isVisible()).toBe(false)
    await page.getByLabel('Show tasks that are done').check()
    expect(await done.isVisible()).toBe(true)
  })
}

test('the first page of a project names what is due, what changed last, people and posts', async () => {
  const page = (await filesOf((await groupsSite()).site)).get(`${PROJECT}/index.html`) ?? ''
  const text = page.replace(/<script>[\s\S]*?<\/script>|<[^>]+>/g, ' ').replace(/\s+/g, ' ')
  expect(text).toMatch(/360 tasks 40 archived/)
  expect(text).toMatch(
    /Due .*2024-01-2\d .* Changed last .* Latest posts Launch by Ann .* 1 comment We launch on Monday\./,
  )
  expect(text).toMatch(/People .* Zoë 67 open tasks/)
})

test.skipIf(NO_CHROMIUM)('of the tasks with a due date, those around the time of the backup are shown', async () => {
  const { site } = await groupsSite()
  const { page, open } = await openSite(site)
  await open(`${PROJECT}/index.html`)
  const shown = page.locator('.due-list > li:not([hidden])')
  await page.locator('.due-list > li[hidden]').first().waitFor({ state: 'attached' })
  expect(await shown.count()).toBe(8)
  expect(await shown.locator('.overdue').count()).toBeLessThanOrEqual(4)
})

test.skipIf(NO_CHROMIUM)('the archive is in the order that it names, and nothing in it is overdue', async () => {
  const task = (tid: string, updated_at: string) =>
    taskRow('P1', tid, tid, { archived: true, completed: false, due_at: '2020-01-01T00:00:00.000Z', updated_at })
  const tables = {
    ...taskTables(0),
    tasks: [
      task('a', '2021-01-01T00:00:00.000Z'),
      task('b', '2023-01-01T00:00:00.000Z'),
      task('c', '2022-01-01T00:00:00.000Z'),
    ],
  }
  const { page, open } = await openSite((await writeSite(handMadeSource({ tables }))).site)
  await open(`${PROJECT}/archive.html`)
  await page.goto(`${page.url()}#state=open`)
  await page.locator('.finder-status', { hasText: '3 of 3' }).waitFor()
  expect(await page.locator('.rows:not([hidden]) td:first-child > a').allTextContents()).toEqual(['b', 'c', 'a'])
  expect(await page.getByLabel('Sort by').inputValue()).toBe('updated')
  expect(await page.getByLabel('Due', { exact: true }).locator('option[value=overdue]').count()).toBe(0)
  expect(await page.locator('.overdue').count()).toBe(0)
})

test.skipIf(NO_CHROMIUM)('the search names the field of a result, and shows more than the first 30', async () => {
  const { page, open } = await openSite((await groupsSite()).site)
  await open('index.html')
  const input = page.getByRole('combobox', { name: 'Search' })
  await input.fill('zebras')
  await page.locator('#result-0').waitFor()
  expect(await page.locator('#result-0 .excerpt').textContent()).toBe('in a comment 李雷: Zebras are in.')
  expect(await page.locator('.kinds button:visible').allTextContents()).toEqual(['All\u00a01', 'Posts\u00a01'])
  await input.fill('task')
  await page.getByRole('button', { name: 'Show 30 more' }).click()
  await page.locator('#result-59').waitFor()
  expect(await page.locator('#results > *').count()).toBe(60)
})

test.skipIf(NO_CHROMIUM)(
  'the site is in the language of the browser, or in the one that the reader chooses',
  async () => {
    const { page, open, complaints } = await openSite((await workspaceSite()).site, { locale: 'zh-CN' })
    await open(`${PROJECT}/board.html`)
    expect(await page.locator('.column-about').first().textContent()).toMatch(/^\d+ 个未完成、\d+ 个已完成$/)
    await open(`${PROJECT}/tasks.html`)
    expect(await page.locator('h1').textContent()).toBe('任务')
    expect(await page.getByLabel('排序').inputValue()).toBe('board')
    expect(await page.locator('tbody time').first().textContent()).toMatch(/^\d{4}年\d+月\d+日/)
    await page.getByRole('button', { name: 'English' }).click()
    await page.getByLabel('Sort by').waitFor()
    await open(`${PROJECT}/board.html`)
    expect(await page.locator('h1').textContent()).toBe('Tasks')
    expect(complaints).toEqual([])
  },
)

testThoroughly('every text of the site has a Chinese one', async () => {
  if (NO_CHROMIUM) return
  const { site } = await workspaceSite()
  const { page, open } = await openSite(site, { locale: 'zh-CN' })
  for (const path of (await filesOf(site)).keys()) {
    if (!path.endsWith('.html')) continue
    await open(path)
    expect(await page.evaluate(ENGLISH), path).toEqual([])
  }
})
