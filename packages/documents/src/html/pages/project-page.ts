import type { Places } from '../../tree/places.ts'
import type { Label } from '../../views/task.ts'
import type { SiteCounts } from '../list-rows.ts'
import { html, joined, type Markup } from '../markup.ts'
import type { PageOrder } from '../page-order.ts'
import type { RenderedText } from '../text/render.ts'
import { filterFragment, labelChip } from './chips.ts'
import { countsOf } from './counts.ts'
import { breadcrumb, type PageLink } from './layout.ts'
import { counted, day, languageOf, titleOf } from './words.ts'

/** Posts that the project's first page names. */
const LATEST = 20

/** Pages of a project up to which its tree is shown unfolded. */
const UNFOLDED = 100

export interface ProjectPage {
  readonly name: string | null
  /** `null` if there is none. */
  readonly description: RenderedText | null
  readonly archived: boolean
  readonly labels: readonly Label[]
  readonly counts: SiteCounts
  readonly pages: Places
  readonly pageOrder: PageOrder
  readonly posts: Places
  readonly postOrder: readonly number[]
  /** Address of the list of all posts. */
  readonly postsList: string
  /** Address of the list of all projects. */
  readonly home: string
  /** Address of a file by its path in the project's folder. */
  readonly addressOf: (path: string) => string
}

/** The main part of a project's first page, piece by piece. */
export function* projectPage(project: ProjectPage): Generator<Markup> {
  const { posts, postOrder } = project
  const name = titleOf(project.name)
  yield breadcrumb([{ title: 'Projects', address: project.home }], name)
  yield html`<header>
<h1 lang="${languageOf(name)}" dir="auto">${name}</h1>
<p class="about">${countsOf(project.counts, true)}${project.archived && html`<span class="badge">archived</span>`}${joined(project.labels.map(({ name, description }) => labelChip(name, description, project.counts.tasks === undefined ? null : `tasks.html${filterFragment('label', name)}`)))}</p>
</header>
${project.description && html`<div class="text description" lang="${languageOf(project.description.plain)}" dir="${project.description.dir}">${project.description.markup}</div>`}
`
  if (project.counts.pages !== undefined) {
    yield html`<section><h2 id="pages">Pages</h2>\n`
    yield* pageTree(project)
    yield html`</section>\n`
  }
  if (project.counts.posts === undefined) return
  yield html`<section><h2 id="posts">${postOrder.length > LATEST ? 'Latest posts' : 'Posts'}</h2>\n`
  yield* postList(posts, postOrder.slice(0, LATEST), project.addressOf)
  if (postOrder.length > LATEST)
    yield html`<p><a href="${project.postsList}">All ${counted(postOrder.length, 'post')}</a></p>\n`
  yield html`</section>\n`
}

/** The main part of the list of all posts, piece by piece. */
export function* postsPage(
  above: readonly PageLink[],
  posts: Places,
  order: readonly number[],
  addressOf: (path: string) => string,
): Generator<Markup> {
  yield breadcrumb(above, 'Posts')
  yield html`<header><h1>Posts</h1><p class="about"><span>${counted(order.length, 'post')}</span><span>the latest first</span></p></header>\n`
  yield* postList(posts, order, addressOf)
}

function* postList(posts: Places, indexes: readonly number[], addressOf: (path: string) => string): Generator<Markup> {
  if (indexes.length === 0) {
    yield html`<p class="empty">None.</p>\n`
    return
  }
  yield html`<ul class="list">\n`
  for (const index of indexes) yield html`<li>${entry(posts, index, addressOf)}</li>\n`
  yield html`</ul>\n`
}

/** Nested lists that can be folded. Not recursive: trees can be deep. */
function* pageTree({ pages, pageOrder, addressOf }: ProjectPage): Generator<Markup> {
  const top = pageOrder.childrenOf(-1)
  if (top.length === 0) {
    yield html`<p class="empty">None.</p>\n`
    return
  }
  const open = pages.count <= UNFOLDED ? html` open` : null
  const stack: (number | Markup)[] = [html`</ul>\n`, ...top.toReversed()]
  yield html`<ul class="tree">\n`
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next !== 'number') {
      yield next
      continue
    }
    const children = pageOrder.childrenOf(next)
    if (children.length === 0) {
      yield html`<li>${entry(pages, next, addressOf)}</li>\n`
      continue
    }
    // The link is not within the summary: a reader could not tell which of the two a key would use.
    const below = `Pages below ${titleOf(pages.titleAt(next))}`
    yield html`<li>${entry(pages, next, addressOf)}<details${open}><summary aria-label="${below}"></summary><ul>\n`
    stack.push(html`</ul></details></li>\n`, ...children.toReversed())
  }
}

function entry(places: Places, index: number, addressOf: (path: string) => string): Markup {
  const address = addressOf(places.pathAt(index))
  return html`<a href="${address}">${titleOf(places.titleAt(index))}</a>${day(places.updatedAt(index))}`
}
