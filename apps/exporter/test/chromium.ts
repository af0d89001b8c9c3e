import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openTab, type Tab } from '@collab-etl/harness/chromium'

/** A tab that shows a site. */
export interface SiteTab extends Tab {
  /** Opens a file of the site. */
  readonly open: (path: string) => Promise<void>
  /** Waits for that file of the site: what a click opens comes after the click. */
  readonly arrive: (path: string) => Promise<void>
}

/** Opens a new tab that goes when the test does; `site` is the folder of the site. */
export async function openSite(site: string, options: Parameters<typeof openTab>[0] = {}): Promise<SiteTab> {
  const tab = await openTab(options)
  const { page } = tab
  const urlOf = (path: string) => pathToFileURL(join(site, path)).href
  // Links and Node do not escape the same characters.
  const pathOf = (url: string) => decodeURIComponent(url.replace(/#.*/, ''))
  // The last that a page's script does.
  const isReady = () => page.locator('.search input').waitFor()
  return {
    ...tab,
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
