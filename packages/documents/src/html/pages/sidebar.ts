import { html, joined, type Markup } from '../markup.ts'
import { titleOf } from './words.ts'

/** Entries before and after one in a list that are shown; a project may have thousands side by side. */
const AROUND = { near: 12, above: 4 } as const

/** Entries below a page that are shown. */
const BELOW = 25

/** The project part of the sidebar. */
export interface SidebarProject {
  readonly name: string | null
  /** Addresses from the page at hand. */
  readonly index: string
  readonly postsList: string
  readonly tabs: readonly Tab[]
}

/** The first page of a project, and the kinds of records, have a tab. */
export type TabName = 'Overview' | 'Pages' | 'Posts' | 'Tasks' | 'Events' | 'Files'

/** A tab, and its address from the page at hand. */
export interface Tab {
  readonly name: TabName
  readonly address: string
}

/** A list in the order of the site, and how an entry of it is shown. */
export interface SidebarList {
  readonly titleAt: (index: number) => string | null
  readonly addressAt: (index: number) => string
  /** How many entries of its own list come before it. */
  readonly rankOf: (index: number) => number
}

/** The page tree around a page: the pages above it, beside it and below it. */
export function pageSidebar(
  project: SidebarProject,
  list: SidebarList,
  current: { readonly path: readonly number[]; readonly childrenOf: (index: number) => readonly number[] },
): Markup {
  return sidebar(project, 'Pages', level(list, current, -1, 0, project.index))
}

/** The posts around a post. */
export function postSidebar(
  project: SidebarProject,
  list: SidebarList,
  posts: readonly number[],
  current: number,
): Markup {
  const entries = cut(posts, list.rankOf(current), AROUND.near, project.postsList, (index) =>
    entry(list, index, index === current),
  )
  return sidebar(project, 'Posts', html`<ul>${entries}</ul>`)
}

/** The sidebar of a page that lists all records of a kind. */
export function plainSidebar(project: SidebarProject, current: TabName | null): Markup {
  return sidebar(project, current, null)
}

/** A sidebar with a list of links. */
export function linkSidebar(
  project: SidebarProject,
  current: TabName,
  links: readonly {
    readonly title: string
    readonly address: string
    readonly isCurrent: boolean
    readonly isOurs: boolean
  }[],
): Markup {
  const items = links.map(
    ({ title, address, isCurrent, isOurs }) =>
      html`<li><a href="${address}"${isCurrent && html` aria-current="true"`} class="clamped"${isOurs && html` data-t`}>${title}</a></li>\n`,
  )
  return sidebar(project, current, html`<ul>${joined(items)}</ul>`)
}

function sidebar(project: SidebarProject, current: TabName | null, list: Markup | null): Markup {
  // No counts: they would change every file of the project whenever a record is added or deleted.
  const tab = ({ name, address }: Tab) =>
    html`<a class="tab" href="${address}"${current === name && html` aria-current="true"`} data-t>${name}</a>`
  // On a phone the button in the bar opens it, without a script; elsewhere the style shows it always.
  return html`<nav id="side" class="side" popover aria-label="${titleOf(project.name)}">
<a class="project clamped" href="${project.index}" dir="auto">${titleOf(project.name)}</a>
<div class="tabs">${joined(project.tabs.map(tab))}</div>
${list}
</nav>`
}

function level(
  list: SidebarList,
  current: Parameters<typeof pageSidebar>[2],
  parent: number,
  depth: number,
  more: string,
): Markup | null {
  const siblings = current.childrenOf(parent)
  if (siblings.length === 0) return null
  const open = current.path[depth]
  const isLast = depth === current.path.length - 1
  const show = (index: number) => {
    if (index !== open) return entry(list, index, false)
    return entry(list, index, isLast, level(list, current, index, depth + 1, more))
  }
  if (open === undefined) return html`<ul>${cut(siblings, 0, BELOW, more, show)}</ul>`
  return html`<ul>${cut(siblings, list.rankOf(open), isLast ? AROUND.near : AROUND.above, more, show)}</ul>`
}

function entry(list: SidebarList, index: number, isCurrent: boolean, below: Markup | null = null): Markup {
  const title = titleOf(list.titleAt(index))
  return html`<li><a href="${list.addressAt(index)}"${isCurrent && html` aria-current="page"`} class="clamped">${title}</a>${below}</li>
`
}

/** The entries around one; if some are left out, with a link to all of them. */
function cut(
  entries: readonly number[],
  at: number,
  around: number,
  more: string,
  show: (index: number) => Markup,
): Markup {
  const from = Math.max(0, at - around)
  const to = Math.min(entries.length, at + around + 1)
  const left = (count: number) => count > 0 && html`<li class="more"><a href="${more}" data-t>More…</a></li>`
  return html`${left(from)}${joined(entries.slice(from, to).map(show))}${left(entries.length - to)}`
}
