import type { BackupSummary, FileSink, Format, ProjectHead, ProjectOutput, ProjectWriter } from '../format.ts'
import type { LinkPlaces } from '../link-places.ts'
import type { PathIndex } from '../path-index.ts'
import { People } from '../people.ts'
import { type Row, textOf } from '../row.ts'
import type { FileReferences } from '../views/file-references.ts'
import { readStartScript, writeAssets } from './assets.ts'
import type { PeopleNote } from './list-rows.ts'
import { homePage, type ListedProject } from './pages/home-page.ts'
import { closing, opening } from './pages/layout.ts'
import { SitePeople } from './people/site-people.ts'
import { ProjectSite } from './project-site.ts'
import type { SiteTools } from './record-texts.ts'
import type { SearchSegment } from './search/shard-writer.ts'
import { loadTerms } from './search/terms.ts'
import { addressOf, HTML_FOLDER } from './site-paths.ts'
import { wordsOf } from './text/render.ts'

/** A project as the search knows it. */
interface SearchedProject {
  readonly folder: string
  readonly name: string | null
  readonly segments: readonly SearchSegment[]
}

/** What the indexes of the site show of a project. */
type SiteOfProject = Omit<SearchedProject, 'name'> & Pick<ListedProject, 'counts'> & { readonly people: PeopleNote }

/** The kinds of records that a site can have. */
const KINDS = ['pages', 'posts', 'tasks', 'events', 'files', 'users'] as const

/** The content of a site, and the issues that it reports. */
export interface SiteOptions {
  /** Whether to report pages without their parent and links to records that have no file: not if Markdown of the same backup does. */
  readonly reportsIssues: boolean
  /** The kinds of records that it has, of those that a site can have; default: all. */
  readonly content?: ReadonlySet<string>
  /** Which pages and posts name a file, for the list of files. */
  readonly references?: FileReferences | null
  /** The time of the data, in ISO 8601: open tasks that were due before it are overdue. Without it, no task is marked overdue. */
  readonly asOf?: string | null
}

/** Writes the records of a workspace as a static site that is readable without a server, a network or this program. */
export class HtmlFormat implements Format {
  readonly #index: PathIndex
  readonly #tools: SiteTools
  readonly #listed: ListedProject[] = []
  readonly #searched: SearchedProject[] = []

  readonly #asOf: string | null
  readonly #people: SitePeople | null

  private constructor(index: PathIndex, tools: SiteTools, asOf: string | null, people: SitePeople | null) {
    this.#asOf = asOf
    this.#people = people
    this.#index = index
    this.#tools = tools
  }

  static async open(
    index: PathIndex,
    places: LinkPlaces,
    users: ReadonlyMap<string, Row>,
    { reportsIssues, content, references = null, asOf = null }: SiteOptions,
  ): Promise<HtmlFormat> {
    const [start, terms] = [await readStartScript(), await loadTerms()]
    const kinds = new Set<string>(KINDS.filter((kind) => content?.has(kind) ?? true))
    const tools = {
      places,
      people: new People(users),
      start,
      terms,
      content: kinds,
      references,
      reportsLinks: reportsIssues,
    }
    return new HtmlFormat(index, tools, asOf, kinds.has('users') ? new SitePeople(users) : null)
  }

  async open(head: ProjectHead, output: ProjectOutput): Promise<ProjectWriter> {
    const places = await this.#index.project(head.pid)
    if (this.#tools.reportsLinks) for (const issue of places.pages.issues) output.report(issue)
    const site = new ProjectSite(this.#tools, head, places, output)
    return {
      write: (record) => site.write(record),
      end: async () => {
        const { links, ...note } = await site.end()
        await this.reuse(head, note)
        return { entry: {}, note: note satisfies SiteOfProject, links }
      },
    }
  }

  async reuse({ row }: ProjectHead, note: unknown): Promise<unknown> {
    const { folder, segments, counts, people } = note as SiteOfProject // `open` gave it
    const [name, description] = [row && textOf(row, 'name'), row && textOf(row, 'description')]
    this.#searched.push({ folder, name, segments })
    this.#people?.addProject({ name, folder }, people)
    this.#listed.push({
      name,
      description: description && wordsOf(description),
      archived: row?.['archived'] === true,
      address: addressOf(`${folder}/index.html`),
      counts,
    })
    return note
  }

  /** Writes the list of projects, the data that the search loads first, and the files that all pages share. */
  async end(files: FileSink, summary?: BackupSummary): Promise<void> {
    await writeAssets(files)
    await files.add(`${HTML_FOLDER}/assets/as-of.js`, `collabLists.asOf(${JSON.stringify(this.#asOf)})\n`)
    if (this.#people) {
      const searched = await this.#people.end(files, this.#tools.start, this.#tools.terms)
      this.#searched.push({ ...searched, name: 'People' })
    }
    const projects = this.#searched.map((project) => JSON.stringify(project)).join(',\n')
    await files.add(`${HTML_FOLDER}/assets/projects.js`, `collabSearch.projects([\n${projects}\n])\n`)
    const path = `${HTML_FOLDER}/index.html`
    const layout = { path, title: 'Projects', project: null, sidebar: null, start: this.#tools.start }
    await files.add(
      path,
      `${opening(layout)}${homePage(this.#listed, this.#people?.count ?? null, summary)}${closing()}`,
    )
  }
}
