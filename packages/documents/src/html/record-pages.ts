import type { RecordFile, RecordFiles } from '../format.ts'
import type { ListedIssue } from '../tree/head.ts'
import type { Markup } from './markup.ts'
import type { Page, PageWriter } from './page-writer.ts'
import { RecordTexts, type SiteTools } from './record-texts.ts'
import type { PreviousTexts } from './search/previous-texts.ts'

/** A page that was rendered, and what the search finds in it. */
export interface RenderedPage {
  readonly page: Page
  readonly main: Markup
  readonly searched: string
}

/** Adds the pages of single records. Of one that is reused, the previous backup's search index has the text. */
export class RecordPages {
  readonly #tools: SiteTools
  readonly #files: RecordFiles
  readonly #pages: PageWriter
  readonly #before: PreviousTexts | null

  constructor(tools: SiteTools, files: RecordFiles, pages: PageWriter, before: PreviousTexts | null) {
    this.#tools = tools
    this.#files = files
    this.#pages = pages
    this.#before = before
  }

  /**
   * Adds a page.
   * @param address its address from the project's folder
   * @returns the addresses in its texts, and what the search finds in it
   */
  async add(
    file: RecordFile,
    address: string,
    render: (texts: RecordTexts) => Promise<RenderedPage>,
  ): Promise<{ readonly links: readonly string[]; readonly searched: string }> {
    const rendering = async () => {
      const issues: ListedIssue[] = []
      const texts = new RecordTexts(this.#tools, (issue) => issues.push(issue))
      const { page, main, searched } = await render(texts)
      return { text: this.#pages.text(page, main), links: [...texts.links], issues, searched }
    }
    const { links, rendered } = await this.#files.add(file, rendering)
    const searched = rendered?.searched ?? (await this.#before?.textAt(address)) ?? (await rendering()).searched
    return { links, searched }
  }
}
