import { html, joined, type Markup } from '../markup.ts'
import { counted, languageOf, titleOf } from './words.ts'

/** A project in the list of all. */
export interface ListedProject {
  readonly name: string | null
  readonly description: string | null
  readonly archived: boolean
  readonly address: string
  readonly pages: number
  readonly posts: number
}

/** UTF-16 units of a description that are shown in the list. */
const DESCRIPTION_SHOWN = 200

/** The main part of the site's first page. */
export function homePage(projects: readonly ListedProject[]): Markup {
  const sum = (count: (project: ListedProject) => number) =>
    projects.reduce((total, project) => total + count(project), 0)
  return html`<header>
<h1>Projects</h1>
<p class="about"><span>${counted(projects.length, 'project')}</span><span>${counted(
    sum(({ pages }) => pages),
    'page',
  )}</span><span>${counted(
    sum(({ posts }) => posts),
    'post',
  )}</span></p>
</header>
<ul class="cards">
${joined(projects.map(card))}</ul>`
}

function card({ name, description, archived, address, pages, posts }: ListedProject): Markup {
  const title = titleOf(name)
  return html`<li class="card"><h2 lang="${languageOf(title)}"><a href="${address}">${title}</a>${archived && html` <span class="badge">archived</span>`}</h2>
${description !== null && description.trim() !== '' && html`<p lang="${languageOf(description)}" dir="auto">${shortened(description)}</p>`}
<p class="about"><span>${counted(pages, 'page')}</span><span>${counted(posts, 'post')}</span></p></li>
`
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= DESCRIPTION_SHOWN ? line : `${line.slice(0, DESCRIPTION_SHOWN).toWellFormed().trimEnd()}…`
}
