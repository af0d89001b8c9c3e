import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, launchChromium, type Page } from '@collab-etl/harness/browser'

/** Longer than any question takes. */
const TIMEOUT_MS = 60_000

export interface Asked {
  /** From opening the page until the field of the search is there. */
  readonly openMs: number
  /** From the key until all results, or their absence, are on the screen. */
  readonly resultsMs: number
  readonly results: string
  readonly loadedMB: number
}

/** A browser that searches a site from the disk; each question is asked in a new profile, with nothing in a cache. */
export class SiteSearch implements AsyncDisposable {
  readonly #browser: Browser
  readonly #site: string

  private constructor(browser: Browser, site: string) {
    this.#browser = browser
    this.#site = site
  }

  /** @param site the directory of the site */
  static async open(site: string): Promise<SiteSearch> {
    return new SiteSearch(await launchChromium(), site)
  }

  /** Opens a page of the site and asks a question there. */
  async ask(path: string, question: string): Promise<Asked> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 } })
    try {
      const page = await context.newPage()
      page.setDefaultTimeout(TIMEOUT_MS)
      let loaded = 0
      const sizes: Promise<unknown>[] = []
      page.on('request', (request) => {
        if (!request.url().includes('/search/')) return
        sizes.push(
          stat(new URL(request.url())).then(({ size }) => {
            loaded += size
          }),
        )
      })
      await page.goto(pathToFileURL(join(this.#site, path)).href)
      await page.locator('.search input').waitFor()
      const openMs = (await page.evaluate('performance.now()')) as number
      const resultsMs = await timed(page, question)
      const results = (await page.locator('.status').textContent()) ?? ''
      await Promise.all(sizes)
      return { openMs, resultsMs, results, loadedMB: loaded / 1e6 }
    } finally {
      await context.close()
    }
  }

  /** Bytes of the largest file of the search index. */
  async largestFile(): Promise<number> {
    const files = await readdir(this.#site, { recursive: true })
    const own = files.filter((path) => /(?:^|\/)search\//.test(path) || path.startsWith('assets/'))
    return Math.max(...(await Promise.all(own.map(async (path) => (await stat(join(this.#site, path))).size))))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close()
  }
}

/** Inserts a query in one input event, and returns the milliseconds until the frame that shows its last result, by the page's clock. */
async function timed(page: Page, question: string): Promise<number> {
  await page.locator('.search input').focus()
  await page.evaluate(WATCH)
  await page.keyboard.insertText(question)
  return (await page.evaluate('benchTime')) as number // set by the script below
}

const WATCH = `globalThis.benchTime = new Promise((resolve, reject) => {
  const list = document.getElementById('results')
  const status = document.querySelector('.status')
  let begun
  const look = () => {
    const isDone = list.getAttribute('aria-busy') === 'false' && /\\d|Nothing/.test(status.textContent)
    if (isDone) resolve(performance.now() - begun)
    else requestAnimationFrame(look)
  }
  const begin = () => {
    begun = performance.now()
    requestAnimationFrame(look)
  }
  document.querySelector('.search input').addEventListener('input', begin, { capture: true, once: true })
  setTimeout(() => reject(new Error('no results: ' + status.textContent)), ${TIMEOUT_MS})
}); 0`
