import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

/** Where there is no browser, its tests are left out; not in CI, where it belongs to the machine. */
export const NO_CHROMIUM = EXECUTABLE === undefined && !process.env['CI']

let browser: Browser | undefined

/** To be called once in a file with tests in a browser. */
export function useChromium(): void {
  beforeAll(async () => {
    if (NO_CHROMIUM) {
      process.stderr.write('No Chromium here: the site is not tested in a browser (apt-get install chromium).\n')
      return
    }
    if (EXECUTABLE === undefined) throw new Error('no Chromium here: apt-get install chromium')
    // Chromium's sandbox is not for root; what runs in it here is our own.
    browser = await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-gpu'] })
  })
  afterAll(() => browser?.close())
}

export interface Tab {
  readonly page: Page
  /** Opens a file of the site. */
  readonly open: (path: string) => Promise<void>
  /** Waits for that file of the site: what a click opens comes after the click. */
  readonly arrive: (path: string) => Promise<void>
  /** Addresses of everything that was asked for. */
  readonly requests: readonly string[]
  /** Errors of scripts, dialogs, and what the browser wrote to its console. */
  readonly complaints: readonly string[]
}

/** Opens a new tab that goes when the test does; `site` is the folder of the site. */
export async function openTab(site: string, options: BrowserContextOptions = {}): Promise<Tab> {
  if (browser === undefined) throw new Error('call useChromium first')
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  const requests: string[] = []
  const complaints: string[] = []
  context.on('request', (request) => requests.push(request.url()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('dialog', (dialog) => {
    complaints.push('a dialog')
    void dialog.dismiss()
  })
  const urlOf = (path: string) => pathToFileURL(join(site, path)).href
  // Links and Node do not escape the same characters.
  const pathOf = (url: string) => decodeURIComponent(url.replace(/#.*/, ''))
  // The last that a page's script does.
  const isReady = () => page.locator('.search input').waitFor()
  return {
    ...{ page, requests, complaints },
    open: async (path) => {
      await page.goto(urlOf(path))
      await isReady()
    },
    arrive: async (path) => {
      await page.waitForURL(({ href }) => pathOf(href) === pathOf(urlOf(path)))
      await isReady()
    },
  }
}
