import type { TaskRow } from '../list-rows.ts'
import { html, joined, type Markup } from '../markup.ts'
import { groupTitle, type TaskGroup } from '../task-groups.ts'
import { dueDate, labelChip, peopleNames, progress } from './chips.ts'
import type { PageLink } from './layout.ts'
import { counted, day, languageOf, titleOf } from './words.ts'

/** A part of a list of tasks: a page of it. */
export interface TaskListPart {
  readonly tasks: Iterable<{ readonly task: TaskRow; readonly group: TaskGroup }>
  /** Which page, from 1, of how many. */
  readonly number: number
  readonly of: number
  readonly before: string | null
  readonly after: string | null
}

/** Where the script finds the rows of the whole list, and that it lists archived tasks. */
export interface ListData {
  readonly shards: readonly string[]
  readonly total: number
  readonly isArchive: boolean
}

/** The columns of a list; `assets/lists.js` has the same. */
const COLUMNS = ['Task', 'Group', 'People', 'Due', 'Checklist', 'Updated'] as const

/** In place of an empty board or list. */
export const NO_TASKS = html`<p class="empty">There are no tasks.</p>\n`

/** A place for the filters of a list, which a script fills. */
export function listFinder({ shards, total, isArchive }: ListData): Markup | null {
  if (total === 0) return null
  return html`<div class="finder" data-shards="${shards.join(' ')}" data-total="${total}"${isArchive && html` data-archive`}></div>\n`
}

/** The table of a page of a list, piece by piece. */
export function* taskTable({ tasks, number, of, before, after }: TaskListPart): Generator<Markup> {
  yield html`<div class="rows">
<table class="task-table"><caption class="sr-only">Tasks${of > 1 && html`, page ${number} of ${of}`}</caption>
<thead><tr>${joined(COLUMNS.map((name) => html`<th scope="col">${name}</th>`))}</tr></thead>
<tbody>
`
  for (const { task, group } of tasks) yield tableRow(task, group)
  yield html`</tbody></table>
${pager(number, of, before, after)}</div>
`
}

/** Links to the page before and after. */
export function pager(number: number, of: number, before: string | null, after: string | null): Markup | null {
  if (of < 2) return null
  const link = (address: string | null, rel: 'prev' | 'next', word: string) =>
    address === null ? html`<span></span>` : html`<a rel="${rel}" href="${address}">${word}</a>`
  return html`<nav class="pager" aria-label="Pages of the list">${link(before, 'prev', 'Previous page')}<span>Page ${number} of ${of}</span>${link(after, 'next', 'Next page')}</nav>\n`
}

function tableRow(task: TaskRow, group: TaskGroup): Markup {
  const { file, title, completed, dueAt, updatedAt, labels, people, more, checked, todos } = task
  return html`<tr${completed && html` class="done"`}><td><a href="tasks/${encodeURIComponent(file)}" dir="auto" lang="${languageOf(title)}">${title}</a>${completed && html` <span class="state-done">done</span>`}${labels.length > 0 && html` <span class="chips">${joined(labels.map((label) => labelChip(label)))}</span>`}</td><td data-name="Group" dir="auto">${groupTitle(group)}</td><td data-name="People">${peopleNames(people)}${more > 0 && html` +${more}`}</td><td data-name="Due">${dueAt !== null && dueDate(dueAt, !completed)}</td><td data-name="Checklist">${progress(checked, todos)}</td><td data-name="Updated">${day(updatedAt)}</td></tr>
`
}

/** Links to the years of the archive. */
export function yearLinks(years: readonly (PageLink & { readonly count: number })[]): Markup | null {
  if (years.length === 0) return null
  const links = years.map(
    ({ title, address, count }) =>
      html`<li><a href="${address}">${titleOf(title)}</a> <small>${counted(count, 'task')}</small></li>`,
  )
  return html`<nav class="years" aria-label="Years"><ul>${joined(links)}</ul></nav>\n`
}
