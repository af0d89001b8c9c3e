import type { LinkPlaces } from '../link-places.ts'
import { missingIssue } from '../link-rewriter.ts'
import type { People, Person } from '../people.ts'
import type { ListedIssue } from '../tree/head.ts'
import type { ShownComment } from '../views/comments.ts'
import type { FileReferences } from '../views/file-references.ts'
import type { StartScript } from './assets.ts'
import type { RenderedComment } from './pages/record-page.ts'
import type { Terms } from './search/terms.ts'
import { address, htmlPath } from './site-paths.ts'
import { isTop } from './text/links.ts'
import { type RenderedText, renderText } from './text/render.ts'

/** Used by all pages of the site. */
export interface SiteTools {
  readonly places: LinkPlaces
  readonly people: People
  readonly start: StartScript
  readonly terms: Terms
  /** The kinds of records that the site has. */
  readonly content: ReadonlySet<string>
  /** Which pages and posts name a file; `null` if that is not shown. */
  readonly references: FileReferences | null
  /** Whether to report links to records that have no file: not if another format reports them. */
  readonly reportsLinks: boolean
}

/** The place of a text. */
export interface TextPlace {
  readonly pid: string
  /** Of its file, relative to `data/`. */
  readonly path: string
  readonly stream: 'pages' | 'posts' | 'tasks' | 'events' | 'files' | 'projects'
  readonly recordKey: string
}

/** Renders the texts of records with their links leading to files of the site. */
export class RecordTexts {
  readonly #tools: SiteTools
  readonly #report: (issue: ListedIssue) => void
  /** The addresses that were looked up. */
  readonly links = new Set<string>()

  constructor(tools: SiteTools, report: (issue: ListedIssue) => void) {
    this.#tools = tools
    this.#report = report
  }

  /** The text of a record; `title` is the heading above it. Texts of one page need different prefixes of ids. */
  async content(
    { text, field }: { readonly text: string; readonly field: string },
    title: string | null,
    place: TextPlace,
    idPrefix = 't-',
  ): Promise<RenderedText> {
    return await this.#render(text, { idPrefix, title }, field, place)
  }

  /**
   * The comments of a post, file or task.
   * @param idPrefix of ids; their numbers follow
   * @param linkTo gives the address of a person's page
   */
  async comments(
    comments: readonly ShownComment[],
    place: TextPlace,
    idPrefix: string,
    linkTo: (person: Person) => string | null,
  ): Promise<RenderedComment[]> {
    const rendered: RenderedComment[] = []
    for (const [index, comment] of comments.entries()) {
      const ofComment = { ...place, recordKey: `${place.recordKey} ${comment.cid}` }
      const options = { idPrefix: `${idPrefix}${index + 1}-`, title: null }
      const text = await this.#render(comment.text, options, 'raw_message', ofComment)
      rendered.push({ ...comment, text, authorAddress: comment.author && linkTo(comment.author) })
    }
    return rendered
  }

  async #render(
    text: string,
    options: { readonly idPrefix: string; readonly title: string | null },
    field: string,
    place: TextPlace,
  ): Promise<RenderedText> {
    const { pid, path, stream, recordKey } = place
    const { places, reportsLinks } = this.#tools
    const missing = new Set<string>()
    const linkTo = async (url: string) => {
      const found = await places.find(url, pid)
      this.links.add(url)
      if (found === null) return null
      if (found.place === 'missing') {
        missing.add(url)
        return null
      }
      const { kind, path: to, title, fragment } = found.place
      if (kind === 'file' && !this.#tools.content.has('files')) return null
      return { address: address(path, htmlPath(to)) + (kind === 'file' ? fragment : fragmentOf(fragment)), title }
    }
    const rendered = await renderText({ ...options, text, linkTo })
    if (reportsLinks) for (const url of missing) this.#report(missingIssue(pid, stream, recordKey, field, url))
    if (rendered.isRaw) this.#report(notRenderedIssue(place, field, text.length))
    return rendered
  }
}

/** The fragment of a place in another text, whose ids are prefixed; `#top` is the beginning of every page. */
function fragmentOf(fragment: string): string {
  return fragment === '' || isTop(fragment) ? fragment : `#t-${fragment.slice(1)}`
}

/** Reports a text that is shown as it was written. */
function notRenderedIssue({ pid, stream, recordKey }: TextPlace, field: string, length: number): ListedIssue {
  return { pid, stream, record_key: recordKey, field, kind: 'html_not_rendered', original: String(length) }
}
