import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

/** Whether tests in a browser are skipped, because none is installed. In CI they fail instead. */
export const NO_CHROMIUM = EXECUTABLE === undefined && !process.env['CI']

let browser: Browser | undefined

/** Starts and stops the browser. Call it once in a file with tests in a browser. */
export function useChromium(): void {
  beforeAll(async () => {
    if (NO_CHROMIUM) {
      process.stderr.write('No Chromium here: pages are not tested in a browser (apt-get install chromium).\n')
      return
    }
    if (EXECUTABLE === undefined) throw new Error('no Chromium here: apt-get install chromium')
    // Chromium's sandbox does not work as root; it runs only our own pages here
    browser = await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-gpu'] })
  })
  afterAll(() => browser?.close())
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
  return { page, requests, complaints }
}
