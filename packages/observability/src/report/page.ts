import { clock, counted, html, joined, Markup, readReportLayout, said, time } from '@collab-etl/documents/html/parts'
import { attemptLines } from '../attempts.ts'
import type { Night } from '../night.ts'
import { cards } from './cards.ts'
import type { ReportFacts } from './facts.ts'
import { duration } from './format.ts'
import { plain } from './markup.ts'
import { type ChartRenderer, chartRenderer } from './render-chart.ts'
import { accepted, drill, footer, problems, projects, summary, tables, warnings } from './sections.ts'
import { soundNights } from './sound-nights.ts'
import { headline, safeText, sinceText } from './words.ts'

/** In each report and in no other page: only such a file is replaced by a report. */
export const GENERATOR = '<meta name="generator" content="collab-nightly">'

function headOf(title: Markup | string): Markup {
  return html`${new Markup(GENERATOR)}
<meta name="robots" content="noindex">
<title>${title} · collab-nightly</title>
<link rel="icon" href="data:,">`
}

const HOME = html`<span class="home">collab-nightly</span>`

/**
 * The report as one HTML page of at most 1 MB: it needs no other file, and no script to be read. Texts of the service are escaped and shortened.
 * Draws charts of the last 31 nights and of the last 365 days.
 */
export async function reportPage(given: ReportFacts): Promise<string> {
  const facts = { ...given, nights: soundNights(given.nights) }
  const { nights } = facts
  const last = nights.at(-1)
  const layout = await readReportLayout('nightly')
  const title = last === undefined ? 'No run yet' : withoutElements(headline(last))
  const look = problems(facts)
  const page = html`${layout.opening({ head: headOf(title), home: HOME })}${
    last === undefined ? EMPTY : header(last, facts)
  }${look}${last !== undefined && (await overNights(nights, await chartRenderer(), look === null && last.outcome === 'whole'))}${accepted(facts)}${warnings(facts)}${drill(last)}${projects(facts)}${
    facts.changes === null &&
    facts.warehouseProblem === null &&
    html`<p class="soft" data-t>The warehouse has no finished run yet, so there are no changes by project.</p>
`
  }${layout.closing(footer(facts))}`
  return String(page)
}

function withoutElements(markup: Markup): Markup {
  return new Markup(String(markup).replace(/<[^>]*>/g, ''))
}

async function overNights(nights: readonly Night[], charts: ChartRenderer, isQuiet: boolean): Promise<Markup> {
  return html`${await cards(nights, charts, isQuiet)}${await tables(nights, charts)}`
}

/** How a night, or a step of it, is shown. */
const TONES: Readonly<Record<string, string>> = {
  whole: 'good',
  ok: 'good',
  partial: 'warn',
  failed: 'bad',
  skipped: 'idle',
}

function header(night: Night, facts: ReportFacts): Markup {
  const { outcome, started_at: start, finished_at: end, host, base_url: service, tool_version: version, steps } = night
  const { account = null, accounts = [] } = night.snapshot ?? {}
  const where = [
    ...(service === null ? [] : [html`<bdi>${plain(service, 200).replace(/^https?:\/\//, '')}</bdi>`]),
    html`${time(start)}–${clock(end)}`,
    html`<bdi>${plain(host, 60)}</bdi>`,
    ...(account === null ? [] : [readAs(plain(account.name ?? account.uid, 60))]),
    ...(accounts.length === 0 ? [] : [readAs(plain(accounts.map((each) => each.account).join(', '), 200))]),
    html`collab-etl ${plain(version, 30)}`,
  ]
  const attempts = attemptLines(night).map((line) => html`<bdi>${plain(line, 1000)}.</bdi>`)
  const notes = [sinceText(night), safeText(night), ...attempts, ...aloneTexts(accounts)].filter(
    (note) => note !== null,
  )
  return html`<header>
<h1 class="state ${TONES[outcome] ?? 'bad'}">${headline(night)}</h1>
<p class="soft">${joined(where, ' · ')}</p>
${notes.length > 0 && html`<p>${joined(notes, ' ')}</p>\n`}<ul class="steps">${steps.map(
    ({ name, status, duration_ms: time }) =>
      html`<li class="${TONES[status] ?? 'bad'}">${said(plain(name, 30))} <span class="soft" data-t>${status === 'skipped' ? 'skipped' : duration(time)}</span></li>`,
  )}</ul>
</header>
${summary(night, facts)}`
}

function readAs(names: string): Markup {
  return html`<span data-t>read as <bdi>${names}</bdi></span>`
}

/** Projects that would no longer be read if one user left; inviting another account now prevents it. */
function aloneTexts(accounts: NonNullable<NonNullable<Night['snapshot']>['accounts']>): Markup[] {
  const alone = accounts.length > 1 ? accounts.filter((each) => each.alone > 0) : []
  return alone.map(({ account, alone: projects }) => {
    const [are, them] = projects === 1 ? ['is', 'it'] : ['are', 'them']
    return html`<span data-t>If <bdi>${plain(account, 64)}</bdi> leaves, ${counted(projects, 'project')} ${are} no longer read: no other account lists ${them}.</span>`
  })
}

const EMPTY = html`<header>
<h1 data-t>No run is on record yet</h1>
<p class="soft" data-t>This page fills with the first run of <code>collab-nightly</code>.</p>
</header>
`
