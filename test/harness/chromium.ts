import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { HAS_CHROMIUM, launchChromium } from './browser.ts'

/** Whether tests in a browser are skipped, because none is installed. In CI they fail instead. */
export const NO_CHROMIUM = !HAS_CHROMIUM && !process.env['CI']

/** Of this worker: it ends with the process. Starting one takes two seconds of processor time. */
let browser: Promise<Browser> | undefined

if (NO_CHROMIUM)
  process.stderr.write('No Chromium here: pages are not tested in a browser (apt-get install chromium).\n')

async function started(): Promise<Browser> {
  const launched = await launchChromium()
  launched.on('disconnected', () => (browser = undefined)) // it crashed
  return launched
}

/** A tab of the browser. */
export interface Tab {
  readonly page: Page
  /** Addresses of all requests. */
  readonly requests: readonly string[]
  /** Errors of scripts, dialogs, and what the browser wrote to its console. */
  readonly complaints: readonly string[]
}

/** Opens a new tab that is closed when the test ends. */
export async function openTab(options: BrowserContextOptions = {}): Promise<Tab> {
  browser ??= started()
  const context = await (await browser).newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const requests: string[] = []
  const complaints: string[] = []
  context.on('request', (request) => requests.push(request.url()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('dialog', (dialog) => {
    complaints.push('a dialog')
    void dialog.dismiss()
  })
  return { page, requests, complaints }
}
