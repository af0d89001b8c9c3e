import { acceptedLines, damagedLine, type Night } from '../night.ts'
import { sparkline } from './charts.ts'
import type { ReportFacts, ReportProject, ReportScope } from './facts.ts'
import { clock, count, counted, day, duration } from './format.ts'
import { fitting, html, type Markup, plain } from './markup.ts'
import type { ChartRenderer } from './render-chart.ts'
import { tableSeries } from './series.ts'
import { changesText, failedSteps, otherRunText, scopesOnRecord, scopeText } from './words.ts'

/** Maximum lengths of texts of others, in characters. */
const MOST = { name: 80, id: 60, reason: 300 } as const

/** Size limits in bytes, which keep the page below 1 MB. */
const MAX_BYTES = { scopes: 130_000, projects: 420_000, gone: 40_000, warnings: 40_000 } as const

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
      html`<li><b>${step.name}</b> ${step.status === 'partial' ? 'is incomplete' : 'failed'}${sinceOf(since, number)}${step.reason !== null && html`: <q>${plain(step.reason, MOST.reason)}</q>`}</li>`,
  )
  const missing =
    warehouseProblem !== null &&
    html`<li><b>warehouse</b> could not be read for this report: <q>${plain(warehouseProblem, MOST.reason)}</q> The changes by project are missing below.</li>`
  const isRefused = ({ status }: ReportScope) => Number(status === 'refused')
  const longest = scopes.toSorted((a, b) => isRefused(b) - isRefused(a) || b.runs - a.runs)
  const { shown, left } = fitting(longest, MAX_BYTES.scopes, scopeItem)
  const more = total - scopes.length + left
  return html`<section class="problems"><h2>What needs a look</h2><ul>${items}${missing}${others.map((line) => html`<li>${plain(line, MOST.reason)}</li>`)}</ul>${
    scopes.length > 0 &&
    html`<h3>${counted(total, 'incomplete scope')}</h3><ul>${shown}</ul>${more > 0 && html`<p class="muted">and ${count(more)} more: <code>collab-extract runs latest</code></p>`}`
  }</section>`
}

/** The accepted failures of the last night, and those that no longer occur. */
export function accepted({ nights }: Pick<ReportFacts, 'nights'>): Markup | null {
  const last = nights.at(-1)
  const { shown, left } = fitting(last === undefined ? [] : acceptedLines(last), MAX_BYTES.warnings, (line) => {
    return html`<li>${plain(line, MOST.reason)}</li>`
  })
  if (shown.length === 0) return null
  return html`<section><h2>Accepted failures</h2><ul>${shown}</ul>${left > 0 && html`<p class="muted">and ${count(left)} more</p>`}</section>`
}

/** How recovery was practised last. */
export function drill(last: Night | undefined): Markup | null {
  if (last?.drill === undefined) return null
  const { started_at: at, duration_ms: milliseconds, source, problem } = last.drill
  const result =
    problem === null
      ? html`${plain(source, MOST.name)} came back completely, in ${duration(milliseconds)}.`
      : html`<b class="bad">failed</b>: <q>${plain(problem, MOST.reason)}</q>`
  return html`<section><h2>Practised recovery</h2><p>${day(at)}: ${result}</p></section>`
}

/** Complete scopes that may lack records. */
export function warnings({ changes }: ReportFacts): Markup | null {
  const { shown, left } = fitting(
    changes?.warnings ?? [],
    MAX_BYTES.warnings,
    ({ pid, project_name: name, stream, warning }) => {
      return html`<li><b>${stream}</b> of ${projectName(pid, name)} may be incomplete: <q>${plain(warning, MOST.reason)}</q></li>`
    },
  )
  if (shown.length === 0) return null
  return html`<section><h2>Complete, but not proven</h2><ul>${shown}</ul>${left > 0 && html`<p class="muted">and ${count(left)} more</p>`}</section>`
}

function sinceOf(since: string, nights: number): string {
  return nights <= 1 ? '' : ` since ${day(since)}, ${counted(nights, 'night')} in a row`
}

function scopeItem(scope: ReportScope): Markup {
  const { pid, project_name: name, stream, error } = scope
  return html`<li><b>${stream}</b> of ${projectName(pid, name)} ${scopeText(scope)}${error !== null && html`: <q>${plain(error, MOST.reason)}</q>`}</li>`
}

function projectName(pid: string | null, name: string | null): Markup {
  if (pid === null) return html`the workspace`
  const shown = plain(name ?? '', MOST.name)
  const id = plain(pid, MOST.id)
  return shown === '' ? html`<bdi>${id}</bdi>` : html`<bdi>${shown}</bdi> <i>${id}</i>`
}

/** The changed rows of each table; tables in which the last night changed nothing are counted. */
export async function tables(nights: readonly Night[], charts: ChartRenderer): Promise<Markup | null> {
  const all = tableSeries(nights).slice(0, MOST_TABLES)
  if (all.length === 0) return null
  const { moved = [], still = [] } = Object.groupBy(all, ({ last }) =>
    last && [last.inserted, last.updated, last.deleted].some((rows) => rows !== 0) ? 'moved' : 'still',
  )
  const rows: Markup[] = []
  for (const { table, last, changed } of moved) {
    const isStill = changed.points.every(({ value }) => (value ?? 0) === 0)
    const chart = isStill
      ? null
      : await charts.render(
          sparkline(changed.points),
          `Changed rows of ${plain(table, MOST.id)} in the last ${counted(changed.points.length, 'night')}.`,
        )
    const cell = (value: number | undefined, name: string) =>
      html`<td class="${value ? name : 'zero'}">${value === undefined ? '–' : count(value)}</td>`
    const usual = changed.usual === null ? '–' : count(Math.round(changed.usual))
    rows.push(
      html`<tr><th scope="row">${plain(table, MOST.id).replaceAll('_', '_\u200b')}</th>${cell(last?.inserted, 'added')}${cell(last?.updated, 'changed')}${cell(last?.deleted, 'deleted')}<td class="usual">${usual}</td><td class="spark">${chart}</td></tr>`,
    )
  }
  const quiet =
    still.length > 0 &&
    html`<p class="muted">No row changed in ${counted(still.length, moved.length > 0 ? 'other table' : 'table')}.</p>`
  if (moved.length === 0) return html`<section><h2>Rows by table</h2>${quiet}</section>`
  return html`<section><h2>Rows by table</h2><div class="card"><table><thead><tr><th scope="col">table</th><th scope="col">added</th><th scope="col">changed</th><th scope="col">deleted</th><th scope="col" class="usual">usual changes</th><th scope="col">${counted(all[0]?.changed.points.length ?? 0, 'night')}</th></tr></thead><tbody>${rows}</tbody></table>${quiet}</div></section>`
}

/** What changed by project. */
export function projects(facts: ReportFacts): Markup | null {
  const { changes } = facts
  if (changes === null) return null
  const { changed, changed_projects: total, projects: all, gone } = changes
  const { shown } = fitting(changed, MAX_BYTES.projects, projectItem)
  const left = total - changed.slice(0, shown.length).filter(({ pid }) => pid !== null).length
  const [open, folded] = [shown.slice(0, OPEN_PROJECTS), shown.slice(OPEN_PROJECTS)]
  const removed = fitting(gone, MAX_BYTES.gone, ({ pid, name }) => html`<li>${projectName(pid, name)}</li>`)
  const other = otherRunText(facts)
  return html`<section><h2>Changes by project</h2><div class="card">${other !== null && html`<p class="muted">${other}</p>`}<p>${summary(total, all)}</p>${
    removed.shown.length > 0 && html`<h3>No longer in the service</h3><ul>${removed.shown}</ul>`
  }${open.length > 0 && html`<ul class="projects">${open}</ul>`}${
    folded.length > 0 &&
    html`<details><summary>${counted(folded.length, 'more project')}</summary><ul class="projects">${folded}</ul></details>`
  }${left > 0 && html`<p class="muted">${counted(left, 'project')} with fewer changes ${left === 1 ? 'is' : 'are'} not listed: see the table <code>run_scopes</code>.</p>`}</div></section>`
}

function summary(changed: number, all: number): string {
  if (all === 0 && changed === 0) return 'The run read no project.'
  if (changed === 0) return `Nothing changed in ${counted(all, 'project')}.`
  return `Rows changed in ${count(changed)} of ${counted(all, 'project')}.`
}

function projectItem({ pid, name, is_new: isNew, streams }: ReportProject): Markup {
  const texts = streams.map(
    ({ stream, ...counts }) => html`<span><em>${stream.replaceAll('_', ' ')}</em> ${changesText(counts)}</span>`,
  )
  return html`<li>${projectName(pid, name)}${isNew && html` <mark>new</mark>`}<p>${texts}</p></li>`
}

/** When the page was written, and how to read it. */
export function footer({ writtenAt, nights }: ReportFacts): Markup {
  const last = nights.at(-1)
  return html`<footer><p>Written on ${day(writtenAt)}, ${clock(writtenAt)} UTC${last !== undefined && ` by collab-nightly on ${plain(last.host, MOST.id)}`}. Times are in UTC. “Usual” is the median of the nights before the last one. If this page is older than a day, the job no longer runs: check with <code>collab-nightly status</code>.</p></footer>`
}
