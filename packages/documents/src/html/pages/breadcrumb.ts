import { html, joined, type Markup } from '../markup.ts'
import { titleOf } from './words.ts'

/** A link to another page of the site. */
export interface Way {
  readonly title: string | null
  readonly address: string
}

/** The way down from the list of all projects. */
export function breadcrumb(above: readonly Way[], title: string): Markup {
  const links = above.map((way) => html`<li><a href="${way.address}">${titleOf(way.title)}</a></li>`)
  return html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${joined(links)}<li aria-current="page">${title}</li></ol></nav>
`
}
