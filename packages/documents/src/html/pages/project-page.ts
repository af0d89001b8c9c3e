import type { Person } from '../../people.ts'
import type { Places } from '../../tree/places.ts'
import type { Label } from '../../views/task.ts'
import type { SiteCounts } from '../list-rows.ts'
import { html, joined, type Markup } from '../markup.ts'
import type { Overview, OverviewEntry } from '../overview.ts'
import type { PageOrder } from '../page-order.ts'
import type { RenderedText } from '../text/render.ts'
import { avatars, dueDate, filterFragment, labelChips, nameOf } from './chips.ts'
import { countsOf } from './counts.ts'
import { breadcrumb } from './layout.ts'
import { type ListedPost, postList } from './post-list.ts'
import { counted, day, languageOf, titleOf } from './words.ts'

/** Pages of a project up to which its tree is shown unfolded. */
const UNFOLDED = 100

/** A person of a project. */
export interface ProjectPerson {
  readonly person: Person
  readonly address: string
  readonly role: string | null
  readonly openTasks: number
}

export interface ProjectPage {
  readonly name: string | null
  /** `null` if there is none. */
  readonly description: RenderedText | null
  readonly archived: boolean
  readonly labels: readonly Label[]
  readonly counts: SiteCounts
  readonly overview: Pick<Overview, 'changed' | 'due'>
  /** Those with the most tasks. */
  readonly people: readonly ProjectPerson[]
  readonly pages: Places
  readonly pageOrder: PageOrder
  readonly latestPosts: AsyncIterable<ListedPost>
  /** Address of the list of all projects. */
  readonly home: string
  /** Address of a file by its path in the project's folder. */
  readonly addressOf: (path: string) => string
}

/** The main part of a project's first page, piece by piece. */
export async function* projectPage(project: ProjectPage): AsyncGenerator<Markup> {
  const { counts, labels, overview, people } = project
  const name = titleOf(project.name)
  const labelLink = ({ name }: Label) =>
    counts.tasks === undefined ? null : `tasks.html${filterFragment('label', name)}`
  yield breadcrumb([{ title: 'Projects', address: project.home, isOurs: true }], name)
  yield html`<header>
<h1 class="clamped" lang="${languageOf(name)}" dir="auto">${name}</h1>
<p class="about">${countsOf(counts, true)}${project.archived && html`<span class="badge" data-t>archived</span>`}</p>
${labels.length > 0 && html`<p class="chips">${labelChips(labels, labelLink)}</p>`}</header>
${project.description && html`<div class="text description" lang="${languageOf(project.description.plain)}" dir="${project.description.dir}">${project.description.markup}</div>`}
<div class="overview">
`
  if (counts.tasks !== undefined) yield dueTasks(overview.due)
  yield changedLately(overview.changed)
  if (counts.posts !== undefined) {
    yield html`<section><h2 id="posts" data-t>Latest posts</h2>\n`
    yield* postList(counts.posts, project.latestPosts)
    if (counts.posts > 0)
      yield html`<p class="all"><a href="posts.html" data-t>All ${counted(counts.posts, 'post')}</a></p>\n`
    yield html`</section>\n`
  }
  if (people.length > 0) yield projectPeople(people)
  yield html`</div>\n`
  if (counts.pages === undefined) return
  yield html`<section><h2 id="pages" data-t>Pages</h2>\n`
  yield* pageTree(project)
  yield html`</section>\n`
}

/** Tasks by due date. A script marks those that are overdue, and leaves a few around the time of the backup. */
function dueTasks(due: readonly OverviewEntry[]): Markup {
  const items = due.map(({ title, address, date }) => html`<li>${link(title, address)} ${dueDate(date, true)}</li>\n`)
  const all = html`<p class="all"><a href="tasks.html#state=open&amp;due=overdue&amp;sort=due" data-t>All that are overdue</a> · <a href="tasks.html#state=open&amp;due=some&amp;sort=due" data-t>All with a due date</a></p>`
  return html`<section><h2 data-t>Due</h2>
${due.length === 0 ? html`<p class="empty" data-t>No open task has a due date.</p>` : html`<ul class="list due-list">\n${joined(items)}</ul>\n${all}`}</section>
`
}

const KIND_WORDS = { page: 'Page', post: 'Post', task: 'Task' } as const

function changedLately(changed: readonly OverviewEntry[]): Markup {
  const items = changed.map(
    ({ kind, title, address, date }) =>
      html`<li>${link(title, address)} <span class="badge" data-t>${KIND_WORDS[kind]}</span>${day(date)}</li>\n`,
  )
  return html`<section><h2 data-t>Changed last</h2>
${changed.length === 0 ? html`<p class="empty" data-t>Nothing yet.</p>` : html`<ul class="list">\n${joined(items)}</ul>`}</section>
`
}

function projectPeople(people: readonly ProjectPerson[]): Markup {
  const items = people.map(
    ({ person, address, role, openTasks }) =>
      html`<li>${avatars([person])} <div><a class="clamped" href="${address}" dir="auto">${nameOf(person)}</a> <small>${role !== null && html`<span data-t>${role}</span> `}${openTasks > 0 && html`<span data-t>${counted(openTasks, 'open task')}</span>`}</small></div></li>\n`,
  )
  return html`<section><h2 data-t>People</h2>\n<ul class="list who">\n${joined(items)}</ul></section>\n`
}

/** Nested lists that can be folded. Not recursive: trees can be deep. */
function* pageTree({ pages, pageOrder, addressOf }: ProjectPage): Generator<Markup> {
  const top = pageOrder.childrenOf(-1)
  if (top.length === 0) {
    yield html`<p class="empty" data-t>There are no pages.</p>\n`
    return
  }
  const entry = (index: number) =>
    html`${link(titleOf(pages.titleAt(index)), addressOf(pages.pathAt(index)))}${day(pages.updatedAt(index))}`
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
      yield html`<li>${entry(next)}</li>\n`
      continue
    }
    // The link is not within the summary: a reader could not tell which of the two a key would use.
    const below = `Pages below ${titleOf(pages.titleAt(next))}`
    yield html`<li>${entry(next)}<details${open}><summary aria-label="${below}"></summary><ul>\n`
    stack.push(html`</ul></details></li>\n`, ...children.toReversed())
  }
}

function link(title: string, address: string): Markup {
  return html`<a class="clamped" href="${address}" dir="auto" lang="${languageOf(title)}">${title}</a>`
}
