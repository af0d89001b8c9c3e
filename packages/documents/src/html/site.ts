import { type Row, textOf } from '../row.ts'
import { readStartScript, type StartScript, writeAssets } from './assets.ts'
import { homePage, type ListedProject } from './pages/home-page.ts'
import { closing, opening } from './pages/layout.ts'
import { ProjectSite } from './project-site.ts'
import { loadTerms, type Terms } from './search/terms.ts'
import { addressOf, HTML_FOLDER } from './site-paths.ts'
import type { SiteTools } from './tools.ts'

/** A project as the search knows it. */
interface SearchedProject {
  readonly folder: string
  readonly name: string | null
  readonly shards: readonly string[]
}

/** Writes the backup as a static site in `data/html`, to be read without a server, a network, or this program. */
export class Site {
  readonly #tools: SiteTools
  readonly #start: StartScript
  readonly #terms: Terms
  readonly #listed: ListedProject[] = []
  readonly #searched: SearchedProject[] = []

  private constructor(tools: SiteTools, start: StartScript, terms: Terms) {
    this.#tools = tools
    this.#start = start
    this.#terms = terms
  }

  static async open(tools: SiteTools): Promise<Site> {
    return new Site(tools, await readStartScript(), await loadTerms())
  }

  /** Writes a project; `row` is its own, `null` where only what belongs to it was read. */
  async writeProject(pid: string, row: Row | null): Promise<void> {
    const places = await this.#tools.index.project(pid)
    if (places === null) return
    if (this.#tools.markdown === null) for (const loss of places.pages.losses) this.#tools.lose(loss)
    const site = new ProjectSite({ ...this.#tools, start: this.#start, terms: this.#terms }, pid, places, row)
    const { folder, shards } = await site.write()
    const name = row && textOf(row, 'name')
    this.#searched.push({ folder, name, shards })
    this.#listed.push({
      ...{ name, description: row && textOf(row, 'description'), archived: row?.['archived'] === true },
      ...{
        address: addressOf(`${folder}/index.html`),
        pages: places.pages.heads.length,
        posts: places.posts.heads.length,
      },
    })
  }

  /** Writes the list of projects, what the search begins with, and the files that all pages share. */
  async end(): Promise<void> {
    const { bag } = this.#tools
    await writeAssets(bag)
    const projects = this.#searched.map((project) => JSON.stringify(project)).join(',\n')
    await bag.add(`${HTML_FOLDER}/assets/projects.js`, `collabSearch.projects([\n${projects}\n])\n`)
    const path = `${HTML_FOLDER}/index.html`
    const frame = { path, title: 'Projects', project: null, sidebar: null, start: this.#start }
    await bag.add(path, `${opening(frame)}${homePage(this.#listed)}${closing()}`)
  }
}
