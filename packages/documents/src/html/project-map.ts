import type { ProjectPlaces } from '../path-index.ts'
import type { Places } from '../tree/places.ts'
import type { Markup } from './markup.ts'
import { type PageOrder, type PostOrder, pageOrder, postOrder } from './page-order.ts'
import type { PageLink } from './pages/layout.ts'
import { pageSidebar, plainSidebar, postSidebar, type SidebarList, type SidebarProject } from './pages/sidebar.ts'
import { address, HTML_FOLDER, htmlPath } from './site-paths.ts'

/** The links from a page or post to others. */
export interface Surroundings {
  /** Of its own file, relative to `data/`. */
  readonly path: string
  readonly sidebar: Markup
  readonly above: readonly PageLink[]
  readonly before: PageLink | null
  readonly after: PageLink | null
}

/** The paths of the files of one project's site, and the links between them. */
export class ProjectMap {
  readonly places: ProjectPlaces
  readonly pageOrder: PageOrder
  readonly postOrder: PostOrder
  /** Relative to the site's folder. */
  readonly folder: string
  readonly #name: string | null

  constructor(places: ProjectPlaces, name: string | null) {
    this.places = places
    this.pageOrder = pageOrder(places.pages)
    this.postOrder = postOrder(places.posts)
    this.folder = htmlPath(places.folder).slice(HTML_FOLDER.length + 1)
    this.#name = name
  }

  /** The path of a file in the project's folder, relative to `data/`. */
  pathOf(file: 'index.html' | 'posts.html'): string {
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
      above: [...this.#top(path), ...above.map((at) => this.#link(path, pages, at))],
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
      above: [...this.#top(path), { title: 'Posts', address: address(path, this.pathOf('posts.html')) }],
      before: this.#linkOrNone(path, posts, order[rankOf(index) - 1] ?? null),
      after: this.#linkOrNone(path, posts, order[rankOf(index) + 1] ?? null),
    }
  }

  postsList(): Surroundings {
    const path = this.pathOf('posts.html')
    const sidebar = plainSidebar(this.#sidebarProject(path))
    return { path, sidebar, above: this.#top(path), before: null, after: null }
  }

  #top(path: string): PageLink[] {
    return [
      { title: 'Projects', address: address(path, `${HTML_FOLDER}/index.html`) },
      { title: this.#name, address: address(path, this.pathOf('index.html')) },
    ]
  }

  #sidebarProject(path: string): SidebarProject {
    return {
      name: this.#name,
      index: address(path, this.pathOf('index.html')),
      postsList: address(path, this.pathOf('posts.html')),
    }
  }

  #sidebarList(path: string, places: Places, { rankOf }: { rankOf(index: number): number }): SidebarList {
    return {
      titleAt: (index) => places.heads[index]?.title ?? null,
      addressAt: (index) => address(path, this.#recordPath(places, index)),
      rankOf,
    }
  }

  #linkOrNone(path: string, places: Places, index: number | null): PageLink | null {
    return index === null ? null : this.#link(path, places, index)
  }

  #link(path: string, places: Places, index: number): PageLink {
    return { title: places.heads[index]?.title ?? null, address: address(path, this.#recordPath(places, index)) }
  }

  #recordPath(places: Places, index: number): string {
    return htmlPath(`${this.places.folder}/${places.pathAt(index)}`)
  }
}
