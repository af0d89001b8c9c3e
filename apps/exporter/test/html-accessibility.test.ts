import { NO_CHROMIUM } from '@collab-etl/harness/chromium'
import { invalid, OVERFLOW, PHONE, SCREENS, violations } from '@collab-etl/harness/page-rules'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { expect, test } from 'vitest'
import { openSite } from './chromium.ts'
import { useSite, writeSite } from './html-site.ts'
import { htmlSource } from './html-source.ts'
import { nastySource } from './nasty-source.ts'
import { readingSource } from './reading-source.ts'
import { handMadeSource } from './rows.ts'
import { taskTables } from './task-rows.ts'
import { workspace } from './workspace-source.ts'

const writtenSite = useSite(() => htmlSource())

const HANDBOOK = 'road-map~1--P1/pages/handbook--a1.html'
/** Pages, but for those of further notes and tasks. */
const HAS_OWN_KIND = /^(?!.*\/note-|.*\/task-[2-9\d]\d).*\.html$/

testThoroughly('a validator finds nothing on any page, and none has forbidden characters', async () => {
  for (const source of [readingSource(), workspace(), nastySource(), handMadeSource({ tables: { projects: [] } })]) {
    const { bag } = await writeSite(source)
    for (const [path, text] of await filesOf(`${bag}/data`)) {
      if (!path.endsWith('.html')) continue
      expect(await invalid(text), path).toEqual([])
    }
  }
})

const onChromium: typeof testThoroughly = (...args) => NO_CHROMIUM || testThoroughly(...args)

for (const [screen, size] of NO_CHROMIUM ? [] : SCREENS) {
  for (const colorScheme of ['light', 'dark'] as const) {
    testThoroughly(
      `axe finds nothing on any page on ${screen}, ${colorScheme}, and none is wider`,
      async () => {
        for (const source of [readingSource(), workspace(), nastySource()]) {
          const { site } = await writeSite(source)
          const { page, open } = await openSite(site, { ...size, colorScheme, reducedMotion: 'reduce' })
          const paths = [...(await filesOf(site)).keys()].filter((path) => HAS_OWN_KIND.test(path))
          expect(paths.length).toBeGreaterThan(8)
          for (const path of paths) {
            await open(path)
            expect(await violations(page), path).toEqual([])
            expect(await page.evaluate(OVERFLOW), path).toBe(0)
          }
        }
      },
      300_000,
    )
  }
}

onChromium('axe finds nothing in the open contents of a phone, nor in the results of its search', async () => {
  const { site } = await writtenSite()
  const { page, open } = await openSite(site, { ...PHONE, colorScheme: 'dark', reducedMotion: 'reduce' })
  await open('road-map~1--P1/posts/launch-are-we-ready--1.html')
  await page.getByRole('button', { name: 'Contents' }).click()
  expect(await violations(page)).toEqual([])
  await open('index.html')
  const input = page.getByRole('combobox', { name: 'Search' })
  for (const [question, shown] of [
    ['instal', '#result-1 mark'],
    ['zebra', '.hint:not([hidden])'],
  ] as const) {
    await input.fill(question)
    await page.locator(shown).first().waitFor()
    expect(await violations(page), question).toEqual([])
  }
})

onChromium('the filters of a list are folded on a phone until they are used, and axe finds nothing', async () => {
  const { site } = await writeSite(handMadeSource({ tables: taskTables(60) }))
  const { page, open } = await openSite(site, { ...PHONE, colorScheme: 'dark', reducedMotion: 'reduce' })
  const group = page.getByLabel('Group', { exact: true })
  await open('many~1--P1/tasks.html')
  expect(await group.isVisible()).toBe(false)
  expect(await violations(page)).toEqual([])
  await page.locator('summary', { hasText: 'Filters' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.type('task 7')
  await page.locator('.finder-status', { hasText: ' of 54' }).waitFor()
  expect(await violations(page)).toEqual([])
  await page.goto(page.url().replace(/tasks\.html.*/, 'archive.html#state=open'))
  await page.locator('.finder-status', { hasText: ' of 6' }).waitFor()
  expect(await group.isVisible()).toBe(true)
  await page.setViewportSize({ width: 1200, height: 800 })
  expect(await page.locator('summary', { hasText: 'Filters' }).isVisible()).toBe(false)
})

/** Marks what has the focus after each Tab. Lists what can be clicked and never had it, and what had it without an outline. */
const TABBED = `(() => {
  const element = document.activeElement
  if (element === document.body || element.dataset.seen) return true
  element.dataset.seen = getComputedStyle(element).outlineStyle
  return false
})()`
const NEVER = `[...document.querySelectorAll('a[href], button, input:not([disabled]), select, summary, .wide, .text pre')]
  .filter((element) => element.checkVisibility() && element.tabIndex === 0 && (element.dataset.seen ?? 'none') === 'none')
  .map((element) => element.outerHTML)`

test.skipIf(NO_CHROMIUM)('keys alone reach everything, and show where they are', async () => {
  const { site } = await writtenSite()
  const { page, open } = await openSite(site, { reducedMotion: 'reduce' })
  for (const path of ['road-map~1--P1/index.html', HANDBOOK]) {
    await open(path)
    for (let isRound = false, count = 0; !isRound && count < 200; count++) {
      await page.keyboard.press('Tab')
      isRound = (await page.evaluate(TABBED)) === true
    }
    expect(await page.evaluate(NEVER), path).toEqual([])
    expect(await page.locator('[data-seen]').count(), path).toBeGreaterThan(5)
  }
})

test.skipIf(NO_CHROMIUM)('axe finds nothing on a page with all kinds of text, and what is put into it', async () => {
  const { site } = await writtenSite()
  const { page, open } = await openSite(site)
  await open(HANDBOOK)
  expect(await violations(page)).toEqual([])
  await page.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button><i class="empty">x</i>')
    document.documentElement.style.setProperty('--soft', '#bbb')`)
  const rules = (await violations(page)).map((violation) => violation.split(':')[0])
  expect(rules).toContain('button-name')
  expect(rules).toContain('color-contrast')
})
