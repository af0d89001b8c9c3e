import type { FileSink } from '../format.ts'
import type { StartScript } from './assets.ts'
import type { Markup } from './markup.ts'
import { closing, opening, type PageLayout } from './pages/layout.ts'

/** What the layout of a page depends on, besides its project. */
export type Page = Pick<PageLayout, 'path' | 'title' | 'sidebar' | 'isBroad'>

/** Writes pages of one project, or of the whole site. */
export class PageWriter {
  readonly #files: FileSink
  readonly #project: PageLayout['project']
  readonly #start: StartScript

  constructor(files: FileSink, project: PageLayout['project'], start: StartScript) {
    this.#files = files
    this.#project = project
    this.#start = start
  }

  /** The text of a page whose main part is in memory. */
  text(page: Page, main: Markup): string {
    return `${this.#opening(page)}${main}${closing()}`
  }

  async add(page: Page, main: Markup): Promise<void> {
    await this.#files.add(page.path, this.text(page, main))
  }

  /** Adds a page that is written in pieces; texts among them must be markup. */
  async stream(page: Page, pieces: Iterable<Markup> | AsyncIterable<Markup | string>): Promise<void> {
    const file = await this.#files.stream(page.path)
    await file.write(String(this.#opening(page)))
    for await (const piece of pieces) await file.write(String(piece))
    await file.write(String(closing()))
    await file.end()
  }

  #opening(page: Page): Markup {
    return opening({ ...page, project: this.#project, start: this.#start })
  }
}
