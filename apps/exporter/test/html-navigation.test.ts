import { NO_CHROMIUM } from '@collab-etl/harness/chromium'
import { isThorough } from '@collab-etl/harness/thorough-tag'
import { expect, test } from 'vitest'
import { openSite } from './chromium.ts'
import { useSite } from './html-site.ts'
import { htmlSource } from './html-source.ts'

const writtenSite = useSite(() => htmlSource())

const HANDBOOK = 'road-map~1--P1/pages/handbook--a1.html'
const INSTALLATION = 'road-map~1--P1/pages/handbook--a1/installation--a2.html'
const LAUNCH = 'road-map~1--P1/posts/launch-are-we-ready--1.html'

test.skipIf(NO_CHROMIUM)(
  'links lead from file to file: projects, tree, text, next and back, posts, comments',
  async () => {
    const { site } = await writtenSite()
    const { page, open, arrive, requests, complaints } = await openSite(site, { locale: 'en-GB', timezoneId: 'UTC' })
    const click = (scope: string, name: string) => page.locator(scope).getByRole('link', { name, exact: true }).click()

    await open('index.html')
    await click('main', 'Road Map')
    await arrive('road-map~1--P1/index.html')
    await click('.tree', 'Handbook')
    await arrive(HANDBOOK)
    await click('.text', 'installation')
    await arrive(INSTALLATION)
    expect(await page.locator('.side [aria-current="page"]').allTextContents()).toEqual(['Installation'])
    expect(await page.locator('.crumbs li').allTextContents()).toEqual([
      'Projects',
      'Road Map',
      'Handbook',
      'Installation',
    ])
    await page.locator('.ways [rel=next]').click()
    await arrive('road-map~1--P1/pages/handbook--a1/installation--a2/windows--a4.html')
    expect(await page.locator('.note').textContent()).toContain('summary')
    await page.locator('.ways [rel=prev]').click()
    await arrive(INSTALLATION)
    await click('.crumbs', 'Handbook')
    await arrive(HANDBOOK)
    await click('.text', '产品手册')
    await arrive('产品-design--p2/pages/产品手册--c1.html')
    await click('.text', '手册首页')
    await arrive(HANDBOOK)
    await click('.text', 'the launch post')
    await arrive(LAUNCH)
    await click('.comment', 'the steps')
    await arrive(INSTALLATION)
    await click('.side', 'Posts')
    await arrive('road-map~1--P1/posts.html')
    await click('.post-list', 'Quiet')
    await arrive('road-map~1--P1/posts/quiet--2.html')
    await page.locator('.ways [rel=prev]').click()
    await arrive(LAUNCH)

    const comments = await page.locator('.comment').allInnerTexts()
    expect(comments).toHaveLength(3)
    expect(comments[0]).toMatch(/^Ann\s+1 Jan 2024, 08:00\s+我也参加/)
    expect(comments[1]).toContain('I am in.\nSee the steps')
    expect(comments[1]).toContain('plan [v2].pdf')
    expect(comments[2]).toMatch(/^u9\s+no date\s+audio\s+Recorded/)

    expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([])
    expect(complaints).toEqual([])
  },
)

test.skipIf(NO_CHROMIUM)('a link into another text leads to its heading, one to nothing does not lead', async () => {
  const { site } = await writtenSite()
  const { page, open, arrive } = await openSite(site, { viewport: { width: 900, height: 300 } })
  await open(LAUNCH)
  await page.locator('.text').getByRole('link', { name: 'handbook' }).click()
  await arrive(HANDBOOK)
  expect(await page.locator(':target').textContent()).toBe('Code')
  await page.locator('.text').getByRole('link', { name: 'below' }).click()
  expect(await page.locator('.text .nowhere').allTextContents()).toEqual(['gone', 'a file'])
  expect(await page.locator('.text .out').allTextContents()).toEqual([
    'https://example.com/manual?x=1',
    'image: the floor plan',
  ])
})

test.skipIf(NO_CHROMIUM || !isThorough())(
  'a page is read and gone through by keys alone',
  { tags: 'thorough' },
  async () => {
    const { site } = await writtenSite()
    const { page, open, arrive } = await openSite(site)
    await open(HANDBOOK)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the text')
    await page.keyboard.press('Enter')
    // On with the first link of the main part.
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await arrive('road-map~1--P1/index.html')
  },
)

test.skipIf(NO_CHROMIUM || !isThorough())(
  'light and dark follow the system, until the reader says otherwise',
  { tags: 'thorough' },
  async () => {
    const { site } = await writtenSite()
    const { page, open } = await openSite(site, { colorScheme: 'dark' })
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await open(HANDBOOK)
    expect(await paper()).toBe('rgb(21, 23, 27)')
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await paper()).toBe('rgb(255, 255, 255)')
    await page.getByRole('button', { name: 'Theme: auto' }).click()
    await page.getByRole('button', { name: 'Theme: light' }).click()
    expect(await paper()).toBe('rgb(21, 23, 27)')
    await open('index.html')
    expect(await paper()).toBe('rgb(21, 23, 27)')
    await page.getByRole('button', { name: 'Theme: dark' }).click()
    expect(await paper()).toBe('rgb(255, 255, 255)')
  },
)

test.skipIf(NO_CHROMIUM || !isThorough())(
  'no text scrolls the page sideways on a phone',
  { tags: 'thorough' },
  async () => {
    const { site } = await writtenSite()
    const { page, open } = await openSite(site, { viewport: { width: 320, height: 640 }, isMobile: true })
    for (const path of [
      'index.html',
      'road-map~1--P1/index.html',
      'road-map~1--P1/posts.html',
      HANDBOOK,
      'road-map~1--P1/pages/wide--w1.html',
      LAUNCH,
    ]) {
      await open(path)
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(320)
    }
  },
)
