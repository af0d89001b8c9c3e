import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { NO_CHROMIUM, type Tab, useChromium } from '@collab-etl/harness/chromium'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import type { AxeResults } from 'axe-core'
import { expect, test } from 'vitest'
import { openSite } from './chromium.ts'
import { writeSite } from './html-site.ts'
import { htmlSource } from './html-source.ts'
import { readingSource } from './reading-source.ts'

useChromium()

const HANDBOOK = 'road-map~1--P1/pages/handbook--a1.html'
const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What breaks a rule on a page, an element of each rule. */
async function violations(page: Tab['page']): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResults
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
}

test.skipIf(NO_CHROMIUM)('axe finds nothing on a page with all kinds of text', async () => {
  const { site } = await writeSite(htmlSource())
  const { page, open } = await openSite(site, { reducedMotion: 'reduce' })
  await open(HANDBOOK)
  expect(await violations(page)).toEqual([])
})

const SCREENS = [
  ['a desktop', { viewport: { width: 1200, height: 900 } }],
  ['a phone', { viewport: { width: 390, height: 800 }, isMobile: true }],
] as const

for (const [screen, size] of NO_CHROMIUM ? [] : SCREENS) {
  for (const colorScheme of ['light', 'dark'] as const) {
    testThoroughly(
      `axe finds nothing on any page on ${screen}, ${colorScheme}`,
      async () => {
        const { site } = await writeSite(readingSource())
        const { page, open } = await openSite(site, { ...size, colorScheme, reducedMotion: 'reduce' })
        const paths = [...(await filesOf(site)).keys()].filter((path) => /(?<!note-.*)\.html$/.test(path))
        expect(paths.length).toBeGreaterThan(10)
        for (const path of paths) {
          await open(path)
          expect(await violations(page), path).toEqual([])
        }
      },
      120_000,
    )
  }
}

test.skipIf(NO_CHROMIUM)('axe finds nothing in the open contents of a phone', async () => {
  const { site } = await writeSite(htmlSource())
  const { page, open } = await openSite(site, { ...SCREENS[1][1], colorScheme: 'dark', reducedMotion: 'reduce' })
  await open('road-map~1--P1/posts/launch-are-we-ready--1.html')
  await page.getByRole('button', { name: 'Contents' }).click()
  expect(await violations(page)).toEqual([])
})

test.skipIf(NO_CHROMIUM)('axe finds what is wrong', async () => {
  const { site } = await writeSite(htmlSource())
  const { page, open } = await openSite(site)
  await open(HANDBOOK)
  await page.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button><i class="empty">x</i>')
    document.documentElement.style.setProperty('--soft', '#bbb')`)
  const rules = (await violations(page)).map((violation) => violation.split(':')[0])
  expect(rules).toContain('button-name')
  expect(rules).toContain('color-contrast')
})

test.skipIf(NO_CHROMIUM)('axe finds nothing in the results of the search, nor where there are none', async () => {
  const { site } = await writeSite(htmlSource())
  const { page, open } = await openSite(site, { ...SCREENS[1][1], colorScheme: 'dark', reducedMotion: 'reduce' })
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
