import type { BackupSummary } from '../../format.ts'
import type { SiteCounts } from '../list-rows.ts'
import { html, joined, type Markup } from '../markup.ts'
import { countsOf, sumOf } from './counts.ts'
import { counted, languageOf, titleOf } from './words.ts'

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
  return html`<header>
<h1>Projects</h1>
<p class="about"><span>${counted(projects.length, 'project')}</span>${countsOf(sumOf(projects.map(({ counts }) => counts)))}${people !== null && html`<a href="people.html">${people === 1 ? '1 person' : `${people.toLocaleString('en')} people`}</a>`}</p>
${
  summary === undefined
    ? null
    : html`<p class="summary">${summary.sentences.join(' ')} <a href="../${summary.report}">Report</a></p>
`
}</header>
<ul class="cards">
${joined(projects.map(card))}</ul>`
}

function card({ name, description, archived, address, counts }: ListedProject): Markup {
  const title = titleOf(name)
  return html`<li class="card"><h2 lang="${languageOf(title)}"><a href="${address}">${title}</a>${archived && html` <span class="badge">archived</span>`}</h2>
${description !== null && description.trim() !== '' && html`<p lang="${languageOf(description)}" dir="auto">${shortened(description)}</p>`}
<p class="about">${countsOf(counts)}</p></li>
`
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= DESCRIPTION_SHOWN ? line : `${line.slice(0, DESCRIPTION_SHOWN).toWellFormed().trimEnd()}…`
}
