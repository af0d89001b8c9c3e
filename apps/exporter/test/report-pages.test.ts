import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Format } from '@collab-etl/backups'
import { NO_CHROMIUM, openTab } from '@collab-etl/harness/chromium'
import { ENGLISH, invalid, OVERFLOW, PHONE, SCREENS, violations } from '@collab-etl/harness/page-rules'
import { madeOnce } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { goldenSource } from './golden-source.ts'
import { nastySource } from './nasty-source.ts'
import { BEFORE, bagOf, earlierAt, state, WITH_ISSUES } from './report-bags.ts'
import { handMadeSource } from './rows.ts'

/** Names of accounts that are words of the report, or of JavaScript. */
const ACCOUNTS = ['pages', 'constructor']

/** Addresses of four reports: no changes, the golden backup, conversion issues, and failed scopes with nasty texts. */
const reports = madeOnce(async (within) => {
  const before = await bagOf(state(BEFORE), { within, earlier: earlierAt(await bagOf(state({}), { within })) })
  const later = state(BEFORE)
  Object.assign(later, { origin: { ...later.origin, readAt: '2031-05-06T07:08:09.000Z' } })
  const scopes = (['posts', 'pages'] as const).map((stream) => {
    return {
      pid: 'P1',
      stream,
      status: 'failed',
      error: { code: 'RESET', message: `no answer ${'w'.repeat(400)}` },
    } as const
  })
  const nasty = Object.assign(nastySource(), { scopes: async () => scopes })
  const issues = handMadeSource(WITH_ISSUES)
  const all = ACCOUNTS.map((account) => ({ account, uid: null, name: null, projects: null }))
  Object.assign(issues, { origin: { ...issues.origin, accounts: { all, readers: new Map() } } })
  const options = { formats: new Set<Format>(['csv', 'html']) }
  const nastyBefore = await bagOf(state(BEFORE), { within, options })
  const bags = [
    await bagOf(later, { within, earlier: earlierAt(before) }),
    await bagOf(goldenSource(), { within, earlier: earlierAt(before) }),
    await bagOf(issues, { within }),
    await bagOf(nasty, { within, options, earlier: earlierAt(nastyBefore) }),
  ]
  return bags.map((bag) => pathToFileURL(join(bag, 'data/report.html')).href)
})

for (const [screen, size] of NO_CHROMIUM ? [] : SCREENS) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const declare = size === PHONE && colorScheme === 'dark' ? test : testThoroughly
    declare(`axe finds nothing in reports on ${screen}, ${colorScheme}, and they fit its width`, async () => {
      const { page, complaints } = await openTab({ ...size, colorScheme, bypassCSP: true })
      for (const address of await reports()) {
        await page.goto(address)
        expect(await violations(page), address).toEqual([])
        expect(await page.evaluate(OVERFLOW), address).toBe(0)
      }
      expect(complaints).toEqual([])
    })
  }
}

test('a validator finds nothing in a report', async () => {
  for (const address of await reports()) {
    expect(await invalid(await readFile(new URL(address), 'utf8')), address).toEqual([])
  }
})

test.skipIf(NO_CHROMIUM)('a quiet report is short: its details are closed', async () => {
  const [quiet = '', golden = ''] = await reports()
  const { page } = await openTab({ viewport: { width: 1280, height: 900 } })
  await page.goto(quiet)
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(900)
  expect(await page.locator('details[open]').count()).toBe(0)
  await page.goto(golden)
  expect(await page.locator('details:not([open])').count()).toBe(0)
})

test.skipIf(NO_CHROMIUM)('a report is in Chinese for Chinese readers, except names, and has a switch', async () => {
  const { page, complaints } = await openTab({ locale: 'zh-CN' })
  const messages = new RegExp(/docs\/troubleshooting|--\w+|bag-info\.txt|backup\.json|U\+FFFD|null|Webhook/)
  for (const address of await reports()) {
    await page.goto(address)
    await page.locator('html[lang=zh] button.language').waitFor()
    const english = (await page.evaluate(ENGLISH)) as string[]
    expect(english.filter((text) => !messages.test(text))).toEqual([])
  }
  await page.goto((await reports())[2] ?? '')
  const names = page.locator('dd bdi').filter({ hasText: new RegExp(`^(?:${ACCOUNTS.join('|')})$`) })
  expect(await names.allTextContents()).toEqual(ACCOUNTS)
  await page.goto((await reports())[1] ?? '')
  expect(await page.locator('h1').textContent()).toMatch(/^备份：\d+年/)
  expect(await page.locator('main').textContent()).toContain('getting post detail failed')
  await page.getByRole('button', { name: 'English' }).click()
  await page.locator('h1', { hasText: 'Backup of' }).waitFor()
  expect(complaints).toEqual([])
})

test.skipIf(NO_CHROMIUM)('a report without scripts is complete and in English', async () => {
  const [, golden = ''] = await reports()
  const { page } = await openTab({ locale: 'zh-CN', javaScriptEnabled: false })
  await page.goto(golden)
  expect(await page.locator('h1').textContent()).toMatch(/^Backup of \d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
  expect(await page.locator('.problem').isVisible()).toBe(true)
})
