import { html, joined, type Markup } from '../markup.ts'
import { titleOf } from './words.ts'

/** A link to another page of the site. */
export interface PageLink {
  readonly title: string | null
  readonly address: string
}

/** The links from the list of all projects down to the page. */
export function breadcrumb(above: readonly PageLink[], title: string): Markup {
  const links = above.map((way) => html`<li><a href="${way.address}">${titleOf(way.title)}</a></li>`)
  return html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${joined(links)}<li aria-current="page">${title}</li></ol></nav>
`
}
