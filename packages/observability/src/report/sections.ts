import { count, counted, day, html, type Markup, said, time } from '@collab-etl/documents/html/parts'
import { damagedLine, type Night } from '../night.ts'
import { sparkline } from './charts.ts'
import type { ReportFacts, ReportProject, ReportScope } from './facts.ts'
import { bytes, duration } from './format.ts'
import { fitting, plain } from './markup.ts'
import type { ChartRenderer } from './render-chart.ts'
import { CHANGES, changedRows, tableSeries } from './series.ts'
import { changesText, failedSteps, otherRunText, scopesOnRecord, scopeText } from './words.ts'

/** Maximum lengths of texts of others, in characters. */
const MOST = { name: 80, id: 60, reason: 300 } as const

/** Size limits in bytes, which keep the page below 1 MB. */
const MAX_BYTES = { scopes: 130_000, projects: 500_000, gone: 40_000, warnings: 40_000 } as const

/** Number of tables that are shown; there are thirty. */
const MOST_TABLES = 60

/** Number of projects that are shown at once; the others are shown by a click. */
const OPEN_PROJECTS = 25

/** What failed and since when; nothing after a whole night. */
export function problems({ nights, changes, warehouseProblem }: ReportFacts): Markup | null {
  const steps = failedSteps(nights)
  const scopes = changes?.incomplete ?? scopesOnRecord(nights)
  const total = Math.max(changes?.incomplete_scopes ?? 0, scopes.length)
  const damaged = damagedLine(nights.at(-1) ?? {})
  const others = [...(damaged === '' ? [] : [damaged]), ...(nights.at(-1)?.warnings ?? [])]
  if (steps.length === 0 && scopes.length === 0 && warehouseProblem === null && others.length === 0) return null
  const items = steps.map(
    ({ step, since, nights: number }) =>
      html`<li data-t><b data-t>${step.name}</b> ${said(step.status === 'partial' ? 'is incomplete' : 'failed')}${sinceOf(since, number)}${step.reason !== null && html`: <q>${plain(step.reason, MOST.reason)}</q>`}</li>`,
  )
  const missing =
    warehouseProblem !== null &&
    html`<li data-t><b data-t>warehouse</b> could not be read for this report: <q>${plain(warehouseProblem, MOST.reason)}</q> The changes by project are missing below.</li>`
  const isRefused = ({ status }: ReportScope) => Number(status === 'refused')
  const longest = scopes.toSorted((a, b) => isRefused(b) - isRefused(a) || b.runs - a.runs)
  const { shown, left } = fitting(longest, MAX_BYTES.scopes, scopeItem)
  const more = total - scopes.length + left
  return html`<section class="problem ${nights.at(-1)?.outcome === 'failed' ? 'bad' : 'warn'}"><h2 data-t>What needs a look</h2><ul>${items}${missing}${others.map(labelled)}</ul>${
    scopes.length > 0 &&
    html`<h3 data-t>${counted(total, 'incomplete scope')}</h3><ul>${shown}</ul>${more > 0 && html`<p class="soft" data-t>and ${count(more)} more: <code>collab-extract runs latest</code></p>`}`
  }</section>
`
}

/** A line whose beginning, up to a colon, may be words of the report. */
function labelled(line: string): Markup {
  const [label = '', ...rest] = plain(line, MOST.reason).split(': ')
  return rest.length === 0
    ? html`<li data-t>${label}</li>`
    : html`<li><span data-t>${label}:</span> <bdi>${rest.join(': ')}</bdi></li>`
}

/** How much the last night changed, and how large its backup is. */
export function summary(last: Night, facts: ReportFacts): Markup {
  const { snapshot, backup } = last
  const { changes: known } = facts
  const isStill = known !== null && known.changed_projects + known.gone.length + known.changed.length === 0
  const still = isStill && html` ${otherRunText(facts)} ${summaryOf(0, known.projects)}`
  const [inserted = 0, updated = 0, deleted = 0] = CHANGES.map((change) => changedRows(last, change) ?? 0)
  const changes = changesText({ inserted, updated, deleted })
  const rows = said(changes === '' ? 'No row changed.' : `Rows: ${changes}.`)
  const size =
    backup !== null &&
    html`<span data-t>The backup is ${said(bytes(backup.bytes))}. New on disk, with its manifests: ${said(bytes(backup.new_bytes))}.</span>`
  return html`<p>${snapshot !== null && rows} ${size}${still}</p>
`
}

/** The accepted failures of the last night, and those that no longer occur. */
export function accepted({ nights }: Pick<ReportFacts, 'nights'>): Markup | null {
  const last = nights.at(-1)
  const { accepted = [], accepted_unneeded: unneeded = [] } = last?.snapshot ?? {}
  const items = [
    ...accepted.map(({ scope, until, reason }) => {
      return html`<li data-t>Accepted failure <code>${plain(scope, MOST.reason)}</code>, until ${until.slice(0, 10)}: <bdi>${plain(reason, MOST.reason)}</bdi></li>`
    }),
    ...unneeded.map((scope) => {
      return html`<li data-t>The accepted failure <code>${plain(scope, MOST.reason)}</code> no longer occurs: remove it</li>`
    }),
  ]
  const { shown, left } = fitting(items, MAX_BYTES.warnings, (item) => item)
  if (shown.length === 0) return null
  return html`<section><h2 data-t>Accepted failures</h2><ul>${shown}</ul>${left > 0 && html`<p class="soft" data-t>and ${count(left)} more</p>`}</section>
`
}

/** How recovery was practised last. */
export function drill(last: Night | undefined): Markup | null {
  if (last?.drill === undefined) return null
  const { started_at: at, duration_ms: milliseconds, source, problem } = last.drill
  const result =
    problem === null
      ? html`<bdi>${plain(source, MOST.name)}</bdi> <span data-t>came back completely, in ${said(duration(milliseconds))}.</span>`
      : html`<b class="bad" data-t>failed</b>: <q>${plain(problem, MOST.reason)}</q>`
  return html`<section><h2 data-t>Practised recovery</h2><p data-t>${day(at)}: ${result}</p></section>
`
}

/** Complete scopes that may lack records. */
export function warnings({ changes }: ReportFacts): Markup | null {
  const { shown, left } = fitting(
    changes?.warnings ?? [],
    MAX_BYTES.warnings,
    ({ pid, project_name: name, stream, warning }) => {
      return html`<li data-t>${streamOf(stream)} of ${projectName(pid, name)} may be incomplete: <q>${plain(warning, MOST.reason)}</q></li>`
    },
  )
  if (shown.length === 0) return null
  return html`<section><h2 data-t>Complete, but not proven</h2><ul>${shown}</ul>${left > 0 && html`<p class="soft" data-t>and ${count(left)} more</p>`}</section>
`
}

function sinceOf(since: string, nights: number): Markup | null {
  return nights <= 1
    ? null
    : html` <span data-t>since${day(since)}${said(`, ${counted(nights, 'run')} in a row`)}</span>`
}

function streamOf(stream: string): Markup {
  return html`<b data-t>${stream.replaceAll('_', ' ')}</b>`
}

function scopeItem(scope: ReportScope): Markup {
  const { pid, project_name: name, stream, error } = scope
  return html`<li data-t>${streamOf(stream)} of ${projectName(pid, name)} ${scopeText(scope)}${error !== null && html`: <q>${plain(error, MOST.reason)}</q>`}</li>`
}

function projectName(pid: string | null, name: string | null): Markup {
  if (pid === null) return said('the workspace')
  const shown = plain(name ?? '', MOST.name)
  const id = plain(pid, MOST.id)
  return shown === '' ? html`<bdi>${id}</bdi>` : html`<bdi>${shown}</bdi> <small>${id}</small>`
}

/** The changed rows of each table in which the last night changed some; the others are counted. */
export async function tables(nights: readonly Night[], charts: ChartRenderer): Promise<Markup | null> {
  const all = tableSeries(nights).slice(0, MOST_TABLES)
  if (all.length === 0) return null
  const { moved = [], still = [] } = Object.groupBy(all, ({ last }) =>
    last && [last.inserted, last.updated, last.deleted].some((rows) => rows !== 0) ? 'moved' : 'still',
  )
  const rows: Markup[] = []
  for (const { table, last, changed } of moved) {
    const isStill = changed.points.every(({ value }) => (value ?? 0) === 0)
    const chart = isStill ? null : await charts.render(sparkline(changed.points))
    const cell = (value: number | undefined, tone: string) =>
      html`<td class="number ${value ? tone : 'soft'}">${value === undefined ? '–' : count(value)}</td>`
    const usual = changed.usual === null ? '–' : count(Math.round(changed.usual))
    rows.push(
      html`<tr><th scope="row">${plain(table, MOST.id).replaceAll('_', '_\u200b')}</th>${cell(last?.inserted, 'good')}${cell(last?.updated, 'accent')}${cell(last?.deleted, 'bad')}<td class="number soft">${usual}</td><td>${chart}</td></tr>`,
    )
  }
  const quiet =
    still.length > 0 && html`<p class="soft" data-t>No row changed in ${counted(still.length, 'other table')}.</p>`
  if (moved.length === 0) return null
  const heads = ['added', 'changed', 'deleted', 'usual changes'].map((head) => {
    return html`<th scope="col" class="number" data-t>${head}</th>`
  })
  return html`<section><h2 id="tables" data-t>Rows by table</h2><div class="wide" tabindex="0" role="region" aria-labelledby="tables"><table><thead><tr><th scope="col" data-t>table</th>${heads}<th scope="col" data-t>${counted(all[0]?.changed.points.length ?? 0, 'run')}</th></tr></thead><tbody>${rows}</tbody></table></div>${quiet}</section>
`
}

/** What changed by project. */
export function projects(facts: ReportFacts): Markup | null {
  const { changes } = facts
  if (changes === null) return null
  const { changed, changed_projects: total, projects: all, gone } = changes
  if (total + gone.length + changed.length === 0) return null
  const { shown } = fitting(changed, MAX_BYTES.projects, projectItem)
  const left = total - changed.slice(0, shown.length).filter(({ pid }) => pid !== null).length
  const [open, folded] = [shown.slice(0, OPEN_PROJECTS), shown.slice(OPEN_PROJECTS)]
  const removed = fitting(gone, MAX_BYTES.gone, ({ pid, name }) => html`<li>${projectName(pid, name)}</li>`)
  const other = otherRunText(facts)
  return html`<section><h2 data-t>Changes by project</h2>${other !== null && html`<p class="soft">${other}</p>`}<p>${summaryOf(total, all)}</p>${
    removed.shown.length > 0 && html`<h3 data-t>No longer in the service</h3><ul>${removed.shown}</ul>`
  }${open.length > 0 && html`<ul class="rows columns">${open}</ul>`}${
    folded.length > 0 &&
    html`<details><summary data-t>${counted(folded.length, 'more project')}</summary><ul class="rows columns">${folded}</ul></details>`
  }${left > 0 && html`<p class="soft" data-t>${counted(left, 'project')} with fewer changes ${left === 1 ? 'is' : 'are'} not listed: see the table <code>run_scopes</code>.</p>`}</section>
`
}

function summaryOf(changed: number, all: number): Markup {
  if (all === 0 && changed === 0) return said('The run read no project.')
  if (changed === 0) return said(`Nothing changed in ${counted(all, 'project')}.`)
  return said(`Rows changed in ${count(changed)} of ${counted(all, 'project')}.`)
}

function projectItem({ pid, name, is_new: isNew, streams }: ReportProject): Markup {
  const texts = streams.map(
    ({ stream, ...counts }) =>
      html`<span data-t><em data-t>${stream.replaceAll('_', ' ')}</em> ${changesText(counts)}</span>`,
  )
  return html`<li>${projectName(pid, name)}${isNew && html` <span class="badge" data-t>new</span>`}<p>${texts}</p></li>`
}

/** When the page was written, and how to read it. */
export function footer({ writtenAt, nights }: ReportFacts): Markup {
  const last = nights.at(-1)
  return html`<span data-t>Written on ${time(writtenAt.toISOString())}${last !== undefined && html`<span data-t> by collab-nightly on <bdi>${plain(last.host, MOST.id)}</bdi></span>`}.</span> <span data-t>“Usual” is the median of the runs before the last one.</span> <span data-t>If this page is older than a day, the job no longer runs: check with <code>collab-nightly status</code>.</span>`
}
