/** @module-tag thorough */

import { NO_CHROMIUM, type Tab } from '@collab-etl/harness/chromium'
import { expect, test } from 'vitest'
import { openSite } from './chromium.ts'
import { useSite, writeSite } from './html-site.ts'
import { htmlSource } from './html-source.ts'
import { pageRow } from './rows.ts'

const writtenSite = useSite(() => htmlSource())

const HANDBOOK = 'road-map~1--P1/pages/handbook--a1.html'

async function settled(page: Tab['page']): Promise<void> {
  await page.locator('.panel:not([hidden]) #results[aria-busy=false]').waitFor({ state: 'attached' })
}

/** Types a question, gives the titles of what is found. */
async function ask({ page }: Tab, question: string): Promise<string[]> {
  const input = page.getByRole('combobox', { name: 'Search' })
  // Cleared first, so that what is waited for belongs to this question.
  await input.fill('')
  await page.locator('.panel[hidden] #results:empty').waitFor({ state: 'attached' })
  await input.fill(question)
  await settled(page)
  return await page.locator('#results .title').allTextContents()
}

test.skipIf(NO_CHROMIUM)(
  'words are found by their beginning, without accents and case, in comments and titles too',
  async () => {
    const { site } = await writeSite(htmlSource([pageRow('P1', 'z1', 'Café Übung', { content: 'naïve ＡＢＣ' })]))
    const tab = await openSite(site)
    await tab.open(HANDBOOK)
    expect((await ask(tab, 'instal')).toSorted()).toEqual(['Handbook', 'Installation', 'Windows'])
    expect((await ask(tab, 'installation'))[0]).toBe('Installation')
    expect(await ask(tab, 'kiwi17')).toEqual(['Note 117'])
    expect(await ask(tab, 'COFFEE')).toEqual(['Launch: are we ready?'])
    expect(await ask(tab, 'cafe ubung')).toEqual(['Café Übung'])
    expect(await ask(tab, 'naive abc')).toEqual(['Café Übung'])
    expect(await ask(tab, 'instalation')).toContain('Installation')
    expect(await ask(tab, 'coffee zebra')).toEqual([])
    expect(await tab.page.locator('.status').textContent()).toBe('Nothing found')
    expect(tab.complaints).toEqual([])
    expect(tab.requests.filter((url) => !url.startsWith('file:'))).toEqual([])
  },
)

test.skipIf(NO_CHROMIUM)('Chinese words are found wherever they stand, characters out of order are not', async () => {
  const { site } = await writtenSite()
  const tab = await openSite(site)
  await tab.open('index.html')
  expect(await ask(tab, '数据库迁移')).toEqual(['产品手册'])
  expect((await ask(tab, '数据库')).toSorted()).toEqual(['Launch: are we ready?', '产品手册'])
  expect(await ask(tab, '权限')).toEqual(['产品手册'])
  expect(await ask(tab, '移')).toEqual(['产品手册'])
  expect(await ask(tab, '手册')).toContain('产品手册')
  expect(await ask(tab, '限权')).toEqual([])
  expect(await ask(tab, '备份 index')).toEqual(['产品手册'])
  await ask(tab, '全文检索')
  expect(await tab.page.locator('#results .excerpt mark').allTextContents()).toEqual(['全文检索'])
})

test.skipIf(NO_CHROMIUM)('the search is used by keys alone: / to begin, arrows, Enter, Escape', async () => {
  const { site } = await writtenSite()
  const { page, open, arrive } = await openSite(site)
  await open(HANDBOOK)
  await page.keyboard.press('/')
  // at once: the results of a part of it, drawn late on a busy machine, would begin anew
  await page.keyboard.insertText('install')
  const options = page.locator('#results').getByRole('option')
  await options.nth(2).waitFor()
  const input = page.getByRole('combobox', { name: 'Search' })
  const active = () => input.getAttribute('aria-activedescendant')
  await page.keyboard.press('ArrowUp')
  expect(await active()).toBe('result-2')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  expect(await active()).toBe('result-1')
  expect(await options.nth(1).getAttribute('aria-selected')).toBe('true')
  await page.keyboard.press('Escape')
  expect(await page.locator('.panel').isVisible()).toBe(false)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await arrive('road-map~1--P1/pages/handbook--a1/installation--a2.html')
})

test.skipIf(NO_CHROMIUM)('on a page of a project its own pages are searched, those of all on demand', async () => {
  const { site } = await writtenSite()
  const tab = await openSite(site)
  await tab.open(HANDBOOK)
  expect(await ask(tab, '数据库')).toEqual(['Launch: are we ready?'])
  await tab.page.getByRole('combobox', { name: 'Project' }).selectOption('All projects')
  await tab.page.locator('#results').getByRole('option', { name: '产品手册' }).click()
  await tab.page.waitForURL(/c1\.html$/)
})

test.skipIf(NO_CHROMIUM)('results are filtered by kind and project; each shows its path and date', async () => {
  const { site } = await writtenSite()
  const tab = await openSite(site)
  await tab.open('index.html')
  await ask(tab, 'launch')
  const { page } = tab
  const chip = (name: string) => page.getByRole('group', { name: 'Kinds of results' }).getByRole('button', { name })
  expect(await chip('All').textContent()).toBe('All\u00a02')
  expect(await chip('Pages').textContent()).toBe('Pages\u00a01')
  await chip('Posts').press('Enter')
  await page.locator('#result-1').waitFor({ state: 'detached' })
  expect(await page.locator('#results .title').allTextContents()).toEqual(['Launch: are we ready?'])
  expect(await page.locator('#results .date time').getAttribute('datetime')).toBe('2024-03-01T08:00:00.000Z')
  expect(await chip('Posts').getAttribute('aria-pressed')).toBe('true')
  await ask(tab, 'installer')
  expect(await page.locator('.hint').textContent()).toContain('No record has all of these words: installer')
  await page.getByRole('button', { name: 'Show all kinds' }).click()
  await page.locator('#result-0').waitFor()
  expect(await page.locator('#results .step').allTextContents()).toEqual(['Road Map', 'Handbook', 'Installation'])
  await page.getByRole('combobox', { name: 'Project' }).selectOption('Empty')
  await page.locator('.hint').waitFor()
  await page.getByRole('button', { name: 'Search all projects' }).click()
  await page.locator('#result-0').waitFor()
  expect(tab.complaints).toEqual([])
})

test.skipIf(NO_CHROMIUM)('results fit a phone, where the filters scroll', async () => {
  const { site } = await writtenSite()
  const tab = await openSite(site, { viewport: { width: 320, height: 640 } })
  await tab.open('index.html')
  await ask(tab, 'installation')
  const widthOf = (selector: string) => tab.page.locator(selector).evaluate((element) => element.clientWidth)
  expect(await widthOf('#result-0')).toBeLessThanOrEqual(await widthOf('.panel'))
  expect(await widthOf('.kinds')).toBeLessThan(await widthOf('.panel'))
})
