import type { ProjectPlaces } from '../path-index.ts'
import type { Places } from '../tree/places.ts'
import type { Markup } from './markup.ts'
import { type PageOrder, type PostOrder, pageOrder, postOrder } from './page-order.ts'
import { filterFragment } from './pages/chips.ts'
import type { PageLink } from './pages/layout.ts'
import {
  linkSidebar,
  pageSidebar,
  plainSidebar,
  postSidebar,
  type SidebarList,
  type SidebarProject,
  type Tab,
  type TabName,
} from './pages/sidebar.ts'
import { address, HTML_FOLDER, htmlPath } from './site-paths.ts'
import { groupTitle, isUnnamed, type TaskGroup } from './task-groups.ts'

/** The links from a page or post to others. */
export interface Surroundings {
  /** Of its own file, relative to `data/`. */
  readonly path: string
  readonly sidebar: Markup
  readonly above: readonly PageLink[]
  readonly before: PageLink | null
  readonly after: PageLink | null
}

/** The tab of a project's first page, and of each kind of records, and where it leads. */
const TABS: readonly (readonly [kind: string | null, name: TabName, file: string, fragment?: string])[] = [
  [null, 'Overview', 'index.html'],
  ['pages', 'Pages', 'index.html', '#pages'],
  ['posts', 'Posts', 'posts.html'],
  ['tasks', 'Tasks', 'board.html'],
  ['events', 'Events', 'events.html'],
  ['files', 'Files', 'files.html'],
]

/** Task groups in the sidebar. */
const GROUPS_SHOWN = 30

/** The paths of the files of one project's site, and the links between them. */
export class ProjectMap {
  readonly places: ProjectPlaces
  readonly pageOrder: PageOrder
  readonly postOrder: PostOrder
  /** Relative to the site's folder. */
  readonly folder: string
  readonly #name: string | null
  readonly #content: ReadonlySet<string>

  /** `content`: the kinds of records that the site has. */
  constructor(places: ProjectPlaces, name: string | null, content: ReadonlySet<string>) {
    this.#content = content
    this.places = places
    this.pageOrder = pageOrder(places.pages)
    this.postOrder = postOrder(places.posts)
    this.folder = htmlPath(places.folder).slice(HTML_FOLDER.length + 1)
    this.#name = name
  }

  /** The path of a file in the project's folder, relative to `data/`. */
  pathOf(file: string): string {
    return `${HTML_FOLDER}/${this.folder}/${file}`
  }

  page(id: string): Surroundings {
    const { pages } = this.places
    const index = pages.indexOf(id)
    const path = this.#recordPath(pages, index)
    const order = this.pageOrder
    const above = order.above(index)
    const around = { path: [...above, index], childrenOf: order.childrenOf }
    return {
      path,
      sidebar: pageSidebar(this.#sidebarProject(path), this.#sidebarList(path, pages, order), around),
      above: [...this.top(path), ...above.map((at) => this.#link(path, pages, at))],
      before: this.#linkOrNone(path, pages, order.neighbour(index, -1)),
      after: this.#linkOrNone(path, pages, order.neighbour(index, 1)),
    }
  }

  post(id: string): Surroundings {
    const { posts } = this.places
    const index = posts.indexOf(id)
    const path = this.#recordPath(posts, index)
    const { order, rankOf } = this.postOrder
    const list = this.#sidebarList(path, posts, this.postOrder)
    return {
      path,
      sidebar: postSidebar(this.#sidebarProject(path), list, order, index),
      above: [...this.top(path), { title: 'Posts', address: address(path, this.pathOf('posts.html')), isOurs: true }],
      before: this.#linkOrNone(path, posts, order[rankOf(index) - 1] ?? null),
      after: this.#linkOrNone(path, posts, order[rankOf(index) + 1] ?? null),
    }
  }

  /** The link to a page or post from a file in the project's folder. */
  recordLink(kind: 'page' | 'post', id: string): PageLink {
    const places = kind === 'page' ? this.places.pages : this.places.posts
    return this.#link(this.pathOf('index.html'), places, places.indexOf(id))
  }

  /** The sidebar of a page that lists all records of a kind. */
  listSidebar(path: string, tab: TabName | null): Markup {
    return plainSidebar(this.#sidebarProject(path), tab)
  }

  /** The sidebar of a task: the lists of tasks, and the task groups. */
  taskSidebar(
    path: string,
    list: 'tasks.html' | 'archive.html',
    groups: readonly TaskGroup[],
    groupId: string | null,
  ): Markup {
    const to = (file: string) => address(path, this.pathOf(file))
    const views = [
      { title: 'Board', address: to('board.html'), isCurrent: false, isOurs: true },
      { title: 'List', address: to('tasks.html'), isCurrent: list === 'tasks.html' && groupId === null, isOurs: true },
      {
        title: 'Archived',
        address: to('archive.html'),
        isCurrent: list === 'archive.html' && groupId === null,
        isOurs: true,
      },
    ]
    const ofGroups = groups.slice(0, GROUPS_SHOWN).map((group) => ({
      title: groupTitle(group),
      address: to(list) + filterFragment('group', group.id ?? ''),
      isCurrent: group.id === groupId,
      isOurs: isUnnamed(group),
    }))
    return linkSidebar(this.#sidebarProject(path), 'Tasks', [...views, ...ofGroups])
  }

  /** The links above every page of the project. */
  top(path: string): PageLink[] {
    return [
      { title: 'Projects', address: address(path, `${HTML_FOLDER}/index.html`), isOurs: true },
      { title: this.#name, address: address(path, this.pathOf('index.html')) },
    ]
  }

  #sidebarProject(path: string): SidebarProject {
    return {
      name: this.#name,
      index: address(path, this.pathOf('index.html')),
      postsList: address(path, this.pathOf('posts.html')),
      tabs: this.#tabs(path),
    }
  }

  #tabs(path: string): Tab[] {
    const held = TABS.filter(([kind]) => kind === null || this.#content.has(kind))
    return held.map(([, name, file, fragment = '']) => ({ name, address: address(path, this.pathOf(file)) + fragment }))
  }

  #sidebarList(path: string, places: Places, { rankOf }: { rankOf(index: number): number }): SidebarList {
    return {
      titleAt: (index) => places.titleAt(index),
      addressAt: (index) => address(path, this.#recordPath(places, index)),
      rankOf,
    }
  }

  #linkOrNone(path: string, places: Places, index: number | null): PageLink | null {
    return index === null ? null : this.#link(path, places, index)
  }

  #link(path: string, places: Places, index: number): PageLink {
    return { title: places.titleAt(index), address: address(path, this.#recordPath(places, index)) }
  }

  #recordPath(places: Places, index: number): string {
    return htmlPath(`${this.places.folder}/${places.pathAt(index)}`)
  }
}
