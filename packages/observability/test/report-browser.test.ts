import { pathToFileURL } from 'node:url'
import { NO_CHROMIUM, openTab } from '@collab-etl/harness/chromium'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { ENGLISH, invalid, OVERFLOW, PHONE, SCREENS, violations } from '@collab-etl/harness/page-rules'
import { everyNth, testThoroughly } from '@collab-etl/harness/thorough'
import { describe, expect, test } from 'vitest'
import { reportPage, writeReport } from '../src/report/index.ts'
import { failedNight, night, step } from './night-fixture.ts'
import { manyChanges, manyNights } from './report-fixture.ts'

/** How the page is seen. */
const VIEWS = [
  { name: 'light', options: { colorScheme: 'light', viewport: { width: 1200, height: 900 } } },
  { name: 'dark', options: { colorScheme: 'dark', viewport: { width: 1200, height: 900 } } },
  { name: 'phone', options: { colorScheme: 'dark', viewport: { width: 360, height: 740 }, isMobile: true } },
] as const

describe('the report in a browser', { tags: 'thorough' }, () => {
  test.skipIf(NO_CHROMIUM).each(everyNth(VIEWS, 3))(
    '($name) needs nothing else, fits its width, and follows the theme',
    async ({ options }) => {
      await using scratch = await scratchDirectory()
      const long = {
        pid: 'x'.repeat(200),
        name: 'y'.repeat(200),
        is_new: true,
        inserted: 1e9,
        updated: 1e9,
        deleted: 1e9,
      }
      const changes = manyChanges(40)
      const streams = [{ stream: 'archived_tasks', inserted: 1e9, updated: 1e9, deleted: 1e9 }]
      const scope = {
        pid: long.pid,
        project_name: long.name,
        stream: 'files',
        status: 'failed',
        error: 'z'.repeat(200),
      }
      const history = { unread_items: 0, last_complete_at: null, since: '2026-01-01T00:00:00Z', runs: 3 }
      const { path } = await writeReport(scratch.path, {
        nights: manyNights(365),
        changes: {
          ...changes,
          changed: [{ ...long, streams }, ...changes.changed],
          incomplete: [{ ...scope, ...history }],
        },
        warehouseProblem: null,
        writtenAt: new Date(),
      })
      const { page, requests, complaints } = await openTab({ ...options, javaScriptEnabled: true })
      await page.goto(pathToFileURL(path).href)
      expect([requests, complaints]).toEqual([[pathToFileURL(path).href], []])

      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect(width).toBe(options.viewport.width)
      // charts are drawn, and their texts do not leave them
      const charts = page.locator('.cards svg')
      expect(await charts.count()).toBeGreaterThan(6)
      const outside = await page.locator('.cards svg text').evaluateAll((texts) =>
        texts
          .filter((element) => {
            const [inner, outer] = [element.getBoundingClientRect(), element.closest('svg')?.getBoundingClientRect()]
            return outer === undefined || inner.left < outer.left - 1 || inner.right > outer.right + 1
          })
          .map((element) => element.textContent),
      )
      expect(outside).toEqual([])

      // charts have the colours of the page, in both themes
      const { fill, accent } = (await page.evaluate(`(() => {
        const bar = document.querySelector('svg [fill="var(--accent)"]')
        bar.style.color = 'var(--accent)'
        const { fill, color } = getComputedStyle(bar)
        return { fill, accent: color }
      })()`)) as Record<string, string>
      expect(fill).toBe(accent)
      expect(fill).toBe(options.colorScheme === 'light' ? 'rgb(27, 95, 193)' : 'rgb(138, 184, 247)')

      const size = await page
        .locator('.cards svg text')
        .first()
        .evaluate((of) => of.getBoundingClientRect().height)
      expect(size, 'labels can be read').toBeGreaterThan(9)
      await page.locator('summary').last().click()
      expect(await page.locator('details .rows li').last().isVisible()).toBe(true)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    },
  )
})

const LONG = 'Donaudampfschifffahrtsgesellschaft'.repeat(9)

/** Four pages: the last night changed nothing, changed much, failed with nasty texts; and without any night. */
async function severalPages(): Promise<string[]> {
  const facts = { warehouseProblem: null, writtenAt: new Date('2026-02-03T03:00Z'), changes: manyChanges(0) }
  const { snapshot } = night()
  const rows = { tasks: { read: 9, inserted: 0, updated: 0, deleted: 0 } }
  const quiet = night({ snapshot: snapshot && { ...snapshot, rows } })
  const scope = {
    pid: 'P1',
    stream: 'files',
    last_complete_at: null,
    since: quiet.started_at,
    unread_items: 3,
    runs: 4,
  }
  const incomplete = [LONG, 'خطة المنتج', '产品 手册', '<b>x</b>'].map((name) => {
    return { ...scope, project_name: name, status: 'partial', error: LONG }
  })
  const troubled = failedNight({ damaged: ['B1'], steps: [step('verify', { status: 'failed', reason: LONG })] })
  const changes = manyChanges(3, { incomplete, incomplete_scopes: 9, gone: [{ pid: LONG, name: '旧项目' }] })
  return await Promise.all([
    reportPage({ ...facts, nights: [...manyNights(40).slice(0, -1), quiet] }),
    reportPage({ ...facts, nights: manyNights(365), changes: manyChanges(40) }),
    reportPage({ ...facts, nights: [...manyNights(3).slice(0, -1), troubled], changes }),
    reportPage({ ...facts, nights: [], changes: null }),
  ])
}

for (const [screen, size] of NO_CHROMIUM ? [] : SCREENS) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const declare = size === PHONE && colorScheme === 'dark' ? test : testThoroughly
    declare(`axe finds nothing in a report of the nights on ${screen}, ${colorScheme}`, async () => {
      const { page } = await openTab({ ...size, colorScheme, bypassCSP: true })
      for (const [index, text] of (await severalPages()).entries()) {
        await page.setContent(text)
        await page.locator('.theme').waitFor()
        expect(await violations(page), String(index)).toEqual([])
        expect(await page.evaluate(OVERFLOW), String(index)).toBe(0)
      }
    })
  }
}

test('a validator finds nothing in a report of the nights', async () => {
  for (const page of await severalPages()) expect(await invalid(page)).toEqual([])
})

test.skipIf(NO_CHROMIUM)('the report of a quiet night fits a screen: its charts are folded', async () => {
  const [quiet = '', , troubled = ''] = await severalPages()
  const { page } = await openTab({ viewport: { width: 1280, height: 600 } })
  await page.setContent(quiet)
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(600)
  expect(await page.locator('main').textContent()).toMatch(/No row changed\..*Nothing changed in 12 projects\./s)
  await page.setContent(troubled)
  expect(await page.locator('.cards svg').first().isVisible()).toBe(true)
})

test.skipIf(NO_CHROMIUM)('the report is in Chinese for Chinese readers, except names and errors', async () => {
  const { page, complaints } = await openTab({ locale: 'zh-CN' })
  for (const text of await severalPages()) {
    await page.setContent(text)
    await page.locator('html[lang=zh] .language').waitFor()
    const english = (await page.evaluate(ENGLISH)) as string[]
    expect(english.filter((words) => !/\d ?[kMGT]?B$|collab-nightly/.test(words))).toEqual([])
    const sentences = (await page.locator('h1, .problem li').allTextContents()).join('\n')
    const spaced = sentences.match(/\S*\p{Script=Han} \p{Script=Han}\S*/gu) ?? []
    expect(spaced, 'but for the name of a project').toEqual(text.includes('产品 手册') ? ['产品 手册'] : [])
  }
  expect(complaints).toEqual([])
})
