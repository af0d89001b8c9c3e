/** @module-tag thorough */

import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NAMINGS } from '@collab-etl/documents'
import { NO_CHROMIUM, useChromium } from '@collab-etl/harness/chromium'
import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { writeBag } from './backup-in.ts'
import { openSite } from './chromium.ts'
import { workspace } from './hostile-workspace.ts'
import { clashesOf, faultsOf } from './legal-paths.ts'

useChromium()

const FORMATS = new Set(['markdown', 'html', 'csv', 'jsonl'] as const)

for (const naming of NAMINGS) {
  test(`any texts give legal names, valid YAML and valid iCalendar (${naming})`, async () => {
    const folder = await scratch()
    await fc.assert(
      fc.asyncProperty(workspace, async ({ pid, source }) => {
        const bag = await mkdtemp(join(folder, 'bag-'))
        await writeBag(bag, source(), { naming, formats: FORMATS })
        const files = await filesOf(join(bag, 'data'))
        expect([...files.keys()].flatMap(faultsOf)).toEqual([])
        expect(clashesOf([...files.keys()])).toEqual([])
        for (const [path, text] of files) {
          if (path.endsWith('.ics')) expect(calendarLines(text), path).toEqual([])
          const front = /^markdown\/.*\.md$/.test(path) ? /^---\n([\s\S]*?\n)---\n/.exec(text)?.[1] : undefined
          if (front === undefined) continue
          const about = parse(front, { strict: true, uniqueKeys: true })
          expect(about, path).toMatchObject({ pid, kind: expect.any(String) })
        }
        await rm(bag, { recursive: true })
      }),
      { numRuns: 60 },
    )
  })
}

/** Lines of an iCalendar file that begin or end something out of order, or are too long. */
function calendarLines(text: string): string[] {
  const lines = text.split('\r\n')
  const events = lines.filter((line) => line === 'BEGIN:VEVENT').length
  const parts = lines.filter((line) => /^(?:BEGIN|END):/.test(line))
  const expected = ['BEGIN:VCALENDAR', ...Array(events).fill(['BEGIN:VEVENT', 'END:VEVENT']).flat(), 'END:VCALENDAR']
  const isValid = JSON.stringify(parts) === JSON.stringify(expected)
  return [...(isValid ? [] : parts), ...lines.filter((line) => Buffer.byteLength(line) > 75 || /[\r\n]/.test(line))]
}

const FORBIDDEN =
  'main script, main style, iframe, svg, main img, main [style], main [onerror], a[href^="javascript:" i], base, main link'

test.skipIf(NO_CHROMIUM)(
  'no text of a task, label, group, event, file or person runs, even without the policy',
  async () => {
    const folder = await scratch()
    await fc.assert(
      fc.asyncProperty(workspace, async ({ source }) => {
        const bag = await mkdtemp(join(folder, 'bag-'))
        await writeBag(bag, source(), { formats: new Set(['html']) })
        const site = join(bag, 'data/html')
        await using tab = await openSiteToClose(site)
        for (const path of (await filesOf(site)).keys()) {
          if (!path.endsWith('.html')) continue
          await tab.open(path)
          expect(await tab.page.evaluate('document.documentElement.dataset.ran ?? null'), path).toBeNull()
          expect(await tab.page.locator(FORBIDDEN).count(), path).toBe(0)
        }
        expect(tab.requests.filter((url) => !url.startsWith('file:'))).toEqual([])
      }),
      { numRuns: 12 },
    )
  },
  300_000,
)

async function openSiteToClose(site: string) {
  const tab = await openSite(site, { bypassCSP: true })
  return { ...tab, [Symbol.asyncDispose]: () => tab.page.close() }
}
