import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

export type { Browser, Page } from 'playwright-core'

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

/** Whether a browser is installed. */
export const HAS_CHROMIUM = EXECUTABLE !== undefined

/** Starts the browser that is installed, without a window. Throws if there is none. */
export async function launchChromium(): Promise<Browser> {
  if (EXECUTABLE === undefined) throw new Error('no Chromium here: apt-get install chromium')
  // Chromium's sandbox does not work as root; it runs only our own pages here
  return await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-gpu'] })
}
