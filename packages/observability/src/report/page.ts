import { attemptLines } from '../attempts.ts'
import type { Night } from '../night.ts'
import { cards } from './cards.ts'
import type { ReportFacts } from './facts.ts'
import { clock, count, day, duration } from './format.ts'
import { html, Markup, plain } from './markup.ts'
import { type ChartRenderer, chartRenderer } from './render-chart.ts'
import { accepted, drill, footer, problems, projects, tables, warnings } from './sections.ts'
import { soundNights } from './sound-nights.ts'
import { STYLE } from './style.ts'
import { headline, safeText, sinceText } from './words.ts'

/** Nothing is loaded, and nothing of the data can run. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** In each report and in no other page: only such a file is replaced by a report. */
export const GENERATOR = '<meta name="generator" content="collab-nightly">'

/**
 * The report as one HTML page of at most 1 MB: it needs no other file and no script. Texts of the service are escaped and shortened.
 * Draws charts of the last 31 nights and of the last 365 days.
 */
export async function reportPage(given: ReportFacts): Promise<string> {
  const facts = { ...given, nights: soundNights(given.nights) }
  const { nights } = facts
  const last = nights.at(-1)
  const charts = last === undefined ? null : await chartRenderer()
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="robots" content="noindex">
${new Markup(GENERATOR)}
<title>${last === undefined ? 'No night yet' : headline(last)} · collab-nightly</title>
<link rel="icon" href="data:,">
<style>${new Markup(STYLE)}</style>
</head>
<body>
${last === undefined ? emptyHeader() : header(last)}
<main>
${problems(facts)}
${charts !== null && (await overNights(nights, charts))}
${accepted(facts)}
${warnings(facts)}
${drill(last)}
${projects(facts)}
${facts.changes === null && facts.warehouseProblem === null && html`<p class="muted">The warehouse has no finished run yet, so there are no changes by project.</p>`}
</main>
${footer(facts)}
</body>
</html>
`
  return page.text
}

async function overNights(nights: readonly Night[], charts: ChartRenderer): Promise<Markup> {
  return html`${await cards(nights, charts)}${await tables(nights, charts)}`
}

function header(night: Night): Markup {
  const { outcome, started_at: start, finished_at: end, host, base_url: service, tool_version: version, steps } = night
  const { account = null, accounts = [] } = night.snapshot ?? {}
  const where = [
    ...(service === null ? [] : [plain(service, 200).replace(/^https?:\/\//, '')]),
    `${day(start)}, ${clock(start)}–${clock(end)} UTC`,
    plain(host, 60),
    ...(account === null ? [] : [`read as ${plain(account.name ?? account.uid, 60)}`]),
    ...(accounts.length === 0 ? [] : [`read as ${plain(accounts.map((each) => each.account).join(', '), 200)}`]),
    `collab-etl ${plain(version, 30)}`,
  ]
  const attempts = attemptLines(night).map((line) => `${plain(line, 1000)}.`)
  const notes = [sinceText(night), safeText(night), ...attempts, ...aloneTexts(accounts)].filter(
    (note) => note !== null,
  )
  return html`<header class="${outcome}"><div><h1>${headline(night)}</h1><p class="where">${where.join(' · ')}</p>${
    notes.length > 0 && html`<p class="note">${notes.join(' ')}</p>`
  }<ul class="steps">${steps.map(
    ({ name, status, duration_ms: time }) =>
      html`<li class="${stateClass(status)}">${plain(name, 30)} <span>${status === 'skipped' ? 'skipped' : duration(time)}</span></li>`,
  )}</ul></div></header>`
}

/** Projects that would no longer be read if one user left; inviting another account now prevents it. */
function aloneTexts(accounts: NonNullable<NonNullable<Night['snapshot']>['accounts']>): string[] {
  const alone = accounts.length > 1 ? accounts.filter((each) => each.alone > 0) : []
  return alone.map(({ account, alone: projects }) => {
    const unread = projects === 1 ? '1 project is' : `${count(projects)} projects are`
    return `If ${plain(account, 64)} leaves, ${unread} no longer read: no other account lists ${projects === 1 ? 'it' : 'them'}.`
  })
}

const STATES: readonly string[] = ['ok', 'partial', 'failed', 'skipped']

function stateClass(status: string): string {
  return STATES.includes(status) ? status : 'failed'
}

function emptyHeader(): Markup {
  return html`<header class="empty"><div><h1>No night is on record yet</h1><p class="where">This page fills with the first run of <code>collab-nightly</code>.</p></div></header>`
}
