import type { BackupSummary } from '../../format.ts'
import type { SiteCounts } from '../list-rows.ts'
import { html, joined, type Markup } from '../markup.ts'
import { countsOf, sumOf } from './counts.ts'
import { counted, languageOf, shortened, time, titleOf } from './words.ts'

/** A project in the list of all. */
export interface ListedProject {
  readonly name: string | null
  readonly description: string | null
  readonly archived: boolean
  readonly address: string
  readonly counts: SiteCounts
}

/** UTF-16 units of a description that are shown in the list. */
const DESCRIPTION_SHOWN = 200

/** The main part of the site's first page. `people`: how many there are; `null` if the site has none. */
export function homePage(projects: readonly ListedProject[], people: number | null, summary?: BackupSummary): Markup {
  const { live = [], archived = [] } = Object.groupBy(projects, (project) => (project.archived ? 'archived' : 'live'))
  // The summary has the counts.
  const counts =
    summary === undefined &&
    html`<span data-t>${counted(projects.length, 'project')}</span>${countsOf(sumOf(projects.map((project) => project.counts)))}`
  return html`<header>
<h1 data-t>Projects</h1>
${summary === undefined ? null : summaryOf(summary)}<p class="about">${counts}${summary === undefined ? null : html`<a href="../${summary.report}" data-t>Report</a>`}${people !== null && html`<a href="people.html" data-t>${counted(people, 'person', 'people')}</a>`}</p>
</header>
${cards(live)}${archived.length > 0 && html`<section><h2 data-t>Archived projects</h2>\n${cards(archived)}</section>`}`
}

function summaryOf({ at, service, counts, completeness }: BackupSummary): Markup {
  const numbers = counts.map((text) => html`<span data-t>${text}</span>`)
  return html`<p class="summary" data-t><span data-t>The state of ${time(at)}, read from <bdi>${service}</bdi>.</span> ${joined(numbers, ', ')}. <span data-t>${completeness}</span></p>\n`
}

function cards(projects: readonly ListedProject[]): Markup | null {
  return projects.length === 0 ? null : html`<ul class="cards">\n${joined(projects.map(card))}</ul>`
}

function card({ name, description, archived, address, counts }: ListedProject): Markup {
  const title = titleOf(name)
  const isEmpty = Object.values(counts).every((count) => count === 0)
  return html`<li class="card"><h2 lang="${languageOf(title)}"><a class="clamped" href="${address}" dir="auto">${title}</a></h2>
${description !== null && description.trim() !== '' && html`<p lang="${languageOf(description)}" dir="auto">${shortened(description, DESCRIPTION_SHOWN)}</p>`}
<p class="about">${archived && html`<span class="badge" data-t>archived</span>`}${isEmpty ? html`<span data-t>empty</span>` : countsOf(counts)}</p></li>
`
}
