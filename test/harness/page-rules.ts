import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { HtmlValidate } from 'html-validate'
import type { Page } from 'playwright-core'

// Rules for every page that people see: those of the site, and both reports.

export const PHONE = { viewport: { width: 360, height: 780 }, isMobile: true } as const

export const SCREENS = [
  ['a desktop', { viewport: { width: 1280, height: 900 } }],
  ['a tablet', { viewport: { width: 768, height: 1024 } }],
  ['a phone', PHONE],
] as const

/** By how many pixels a page is wider than the window. */
export const OVERFLOW = 'Math.max(0, document.documentElement.scrollWidth - innerWidth)'

/** Texts of a page in Chinese that a script should have translated. */
export const ENGLISH = `[...document.querySelectorAll('[data-t]')].flatMap((element) =>
  [...element.childNodes].filter((node) => node.nodeType === 3 && /[A-Za-z]{2}/.test(node.data)).map((node) => node.data))
  .filter((text) => !/UTC|events\\.ics|ID/.test(text))`

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules of axe that a page breaks, each with one element. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations } = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"], preload: false })',
  )) as AxeResults
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
}

const validator = new HtmlValidate({ extends: ['html-validate:standard'] })

const CONTROL = /[[\p{Cc}\p{Noncharacter_Code_Point}]--[\n]]/v

/** Problems that a validator finds in a page, and forbidden characters. */
export async function invalid(text: string): Promise<string[]> {
  const { results } = await validator.validateString(text)
  const found = results.flatMap(({ messages }) => messages)
  const controls = CONTROL.test(text) ? ['a control character'] : []
  return [...found.map(({ ruleId, message, line }) => `${ruleId}: ${message}, line ${line}`), ...controls]
}
