import { pathToFileURL } from 'node:url'
import { NO_CHROMIUM, openTab, useChromium } from '@collab-etl/harness/chromium'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { everyNth } from '@collab-etl/harness/thorough'
import { describe, expect, test } from 'vitest'
import { writeReport } from '../src/report/index.ts'
import { COLOURS } from '../src/report/palette.ts'
import { manyChanges, manyNights } from './report-fixture.ts'

useChromium()

/** How the page is seen. */
const VIEWS = [
  { name: 'light', options: { colorScheme: 'light', viewport: { width: 1200, height: 900 } } },
  { name: 'dark', options: { colorScheme: 'dark', viewport: { width: 1200, height: 900 } } },
  { name: 'phone', options: { colorScheme: 'dark', viewport: { width: 360, height: 740 }, isMobile: true } },
] as const

/** The number of a colour's part: `#ff7078` as `rgb(255, 112, 120)`. */
function rgb(hex: string): string {
  return `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`
}

describe('the report in a browser', { tags: 'thorough' }, () => {
  test.skipIf(NO_CHROMIUM).each(everyNth(VIEWS, 2))(
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
      expect(await page.locator('script').count()).toBe(0)
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

      const theme = options.colorScheme
      const styleOf = (selector: string, property: string) =>
        page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`)
      const fill = await styleOf(`svg [fill="${COLOURS.tonight.light}"]`, 'fill')
      expect(fill).toBe(rgb(COLOURS.tonight[theme]))
      const label = await styleOf('.cards svg text', 'fill')
      expect(label).toBe(rgb(COLOURS.muted[theme]))
      expect(await styleOf('body', 'backgroundColor')).toBe(rgb(COLOURS.page[theme]))

      const size = await page
        .locator('.cards svg text')
        .first()
        .evaluate((of) => of.getBoundingClientRect().height)
      expect(size, 'labels can be read').toBeGreaterThan(9)
      await page.locator('summary').click()
      expect(await page.locator('details .projects li').last().isVisible()).toBe(true)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    },
  )
})

/** Relative luminance of a colour, as WCAG defines it. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

test.each(['light', 'dark'] as const)('texts of the %s theme have a contrast of at least 4.5', (theme) => {
  const contrast = (a: string, b: string) => {
    const [low = 0, high = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
    return (high + 0.05) / (low + 0.05)
  }
  const weak = (['text', 'muted', 'good', 'warn', 'bad', 'tonight'] as const).flatMap((name) =>
    (['card', 'page'] as const).flatMap((on) =>
      contrast(COLOURS[name][theme], COLOURS[on][theme]) < 4.5 ? [`${name} on ${on}`] : [],
    ),
  )
  expect(weak).toEqual([])
})

test('each colour of a chart has one meaning, so that the dark theme can replace it', () => {
  const lights = Object.values(COLOURS).map(({ light }) => light)
  expect(new Set(lights).size).toBe(lights.length)
})
