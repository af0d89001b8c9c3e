/** @module-tag thorough */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { NO_CHROMIUM, openTab } from '@collab-etl/harness/chromium'
import { expect, test } from 'vitest'
import type { SourceRow } from '../src/source/backup-rows.ts'
import { openSite } from './chromium.ts'
import { useSite, writeSite } from './html-site.ts'
import { htmlSource } from './html-source.ts'
import { handMadeSource, pageRow } from './rows.ts'
import { taskTables } from './task-rows.ts'

const writtenSite = useSite(() => htmlSource())

const HANDBOOK = 'road-map~1--P1/pages/handbook--a1.html'
const LAUNCH = 'road-map~1--P1/posts/launch-are-we-ready--1.html'
const PHONE = { viewport: { width: 390, height: 800 }, isMobile: true }
const BERLIN = { locale: 'de-DE', timezoneId: 'Europe/Berlin' }

test.skipIf(NO_CHROMIUM)(
  'times are in the language and time zone of the reader, with the exact one on hover',
  async () => {
    const { site } = await writtenSite()
    const { page, open, complaints } = await openSite(site, BERLIN)
    await open(LAUNCH)
    const time = page.locator('.about time').last()
    await expect.poll(() => time.textContent()).toBe('01.03.2024, 09:00')
    expect(await time.getAttribute('title')).toBe('2024-03-01T08:00:00.000Z')
    expect(await time.getAttribute('datetime')).toBe('2024-03-01T08:00:00.000Z')
    await open('road-map~1--P1/posts.html')
    await expect.poll(() => page.locator('.post-list time').first().textContent()).toBe('01.03.2024')
    expect(complaints).toEqual([])
  },
)

test.skipIf(NO_CHROMIUM)('a time that the page adds later is formatted, one that a person wrote is not', async () => {
  const { site } = await writeSite(
    htmlSource([pageRow('p2', 't1', 'Time', { content: '<time datetime="2024-01-01T00:00:00Z">2020-02-02</time>' })]),
  )
  const { page, open } = await openSite(site, BERLIN)
  await open('产品-design--p2/pages/time--t1.html')
  await page.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend', '<p id="later">' +
    '<time datetime="2024-05-01">2024-05-01</time>|<time datetime="nonsense">2024-05-01</time>|<time datetime="2024-05-01T23:00:00Z">2024-05-01</time></p>')`)
  await expect.poll(() => page.locator('#later').textContent()).toBe('01.05.2024|2024-05-01|02.05.2024')
  expect(await page.locator('.text time').textContent()).toBe('2020-02-02')
})

test.skipIf(NO_CHROMIUM)(
  'an overdue task shows its date in the form of the reader, and that it is overdue',
  async () => {
    const change = (row: SourceRow) => ({
      ...row,
      due_at: '2023-12-30T23:59:00.000Z',
      archived: false,
      completed: false,
    })
    const { site } = await writeSite(handMadeSource({ tables: taskTables(2, change) }))
    const { page, open } = await openSite(site, BERLIN)
    await open('many~1--P1/tasks.html')
    const due = page.locator('time.due').first()
    await expect.poll(() => due.textContent()).toBe('31.12.2023 overdue')
    expect((await due.getAttribute('title'))?.split(' · ').sort()).toEqual([
      '2023-12-30T23:59:00.000Z',
      'Overdue when the backup was made',
    ])
    await open('many~1--P1/tasks/task-0--t10000.html')
    await expect.poll(() => due.textContent()).toBe('31.12.2023, 00:59 overdue')
  },
)

test.skipIf(NO_CHROMIUM)('without scripts, times are in UTC and the contents of a phone open as well', async () => {
  const { site } = await writtenSite()
  const { page } = await openTab({ ...PHONE, ...BERLIN, javaScriptEnabled: false })
  await page.goto(pathToFileURL(join(site, LAUNCH)).href)
  expect(await page.locator('.about time').last().textContent()).toBe('2024-03-01 08:00 UTC')
  const entry = page.locator('.side').getByRole('link', { name: 'Quiet' })
  expect(await entry.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Contents' }).click()
  await entry.click()
  await page.waitForURL(/quiet--2\.html$/)
})

test.skipIf(NO_CHROMIUM)('on a phone, the contents open over the text, and keys alone go through them', async () => {
  const { site } = await writtenSite()
  const { page, open, arrive } = await openSite(site, PHONE)
  await open(HANDBOOK)
  const side = page.locator('.side')
  const focused = () => page.evaluate('document.activeElement.textContent')
  expect(await side.isVisible()).toBe(false)
  await page.evaluate('scrollTo({ top: 600, behavior: "instant" })')
  const button = page.getByRole('button', { name: 'Contents' })
  await button.focus()
  await page.waitForTimeout(50) // in which the page would begin to scroll
  await page.keyboard.press('Enter')
  expect(await side.isVisible()).toBe(true)
  expect(await page.evaluate('scrollY')).toBe(600)
  const bottomOfBar = await page.evaluate('document.querySelector(".bar").getBoundingClientRect().bottom')
  expect((await side.boundingBox())?.y).toBeCloseTo(Number(bottomOfBar), -1)
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Road Map')
  await page.keyboard.press('Escape')
  expect(await side.isVisible()).toBe(false)
  expect(await focused()).toBe('Contents')
  // Behind the last entry the panel closes: it does not cover what has the focus.
  await page.keyboard.press('Enter')
  await side.getByRole('link').last().focus()
  await page.keyboard.press('Tab')
  await expect.poll(() => side.isVisible()).toBe(false)
  await button.click()
  await side.getByRole('link', { name: 'Installation' }).click()
  await arrive('road-map~1--P1/pages/handbook--a1/installation--a2.html')
})

test.skipIf(NO_CHROMIUM)('on paper there is the text alone', async () => {
  const { site } = await writtenSite()
  const { page, open } = await openSite(site)
  await open(HANDBOOK)
  await page.emulateMedia({ media: 'print' })
  await page.setViewportSize({ width: 700, height: 1000 })
  expect(await page.locator('.bar, .side, .ways, .foot, .skip').filter({ visible: true }).count()).toBe(0)
  expect(await page.locator('h1, .text').filter({ visible: true }).count()).toBe(2)
  const addresses = await page.evaluate(
    `[...document.querySelectorAll('.text .out')].map((link) => getComputedStyle(link, '::after').content)`,
  )
  // The address of an image, and not again that of a link which shows it.
  expect(addresses).toEqual(['none', '" (https://example.com/plan.png)"'])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
})
