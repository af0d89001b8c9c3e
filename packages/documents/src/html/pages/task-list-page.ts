import type { TaskRow } from '../list-rows.ts'
import { html, joined, type Markup } from '../markup.ts'
import { groupTitle, isUnnamed, type TaskGroup } from '../task-groups.ts'
import { dueDate, labelChips, nameOf, peopleNames, progress } from './chips.ts'
import type { PageLink } from './layout.ts'
import { counted, day, languageOf, titleOf } from './words.ts'

/** A part of a list of tasks: a page of it. */
export interface TaskListPart {
  readonly tasks: Iterable<{ readonly task: TaskRow; readonly group: TaskGroup }>
  /** Which page, from 1, of how many. */
  readonly number: number
  readonly of: number
  readonly isArchive: boolean
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
export const NO_TASKS = html`<p class="empty" data-t>There are no tasks.</p>\n`

/** A place for the filters of a list, which a script fills. */
export function listFinder({ shards, total, isArchive }: ListData): Markup | null {
  if (total === 0) return null
  return html`<div class="finder" data-shards="${shards.join(' ')}" data-total="${total}"${isArchive && html` data-archive`}></div>\n`
}

/** The table of a page of a list, piece by piece. */
export function* taskTable({ tasks, number, of, isArchive, before, after }: TaskListPart): Generator<Markup> {
  yield html`<div class="rows">
<table class="task-table"><caption class="sr-only" data-t>${of > 1 ? `Tasks, page ${number} of ${of}` : 'Tasks'}</caption>
<thead><tr>${joined(COLUMNS.map((name) => html`<th scope="col" data-t>${name}</th>`))}</tr></thead>
<tbody>
`
  for (const { task, group } of tasks) yield tableRow(task, group, isArchive)
  yield html`</tbody></table>
${pager(number, of, before, after)}</div>
`
}

/** Links to the page before and after. */
export function pager(number: number, of: number, before: string | null, after: string | null): Markup | null {
  if (of < 2) return null
  const link = (address: string | null, rel: 'prev' | 'next', word: string) =>
    address === null ? html`<span></span>` : html`<a rel="${rel}" href="${address}" data-t>${word}</a>`
  return html`<nav class="pager" aria-label="Pages of the list" data-t>${link(before, 'prev', 'Previous page')}<span data-t>Page ${number} of ${of}</span>${link(after, 'next', 'Next page')}</nav>\n`
}

function tableRow(task: TaskRow, group: TaskGroup, isArchive: boolean): Markup {
  const { file, title, completed, dueAt, updatedAt, labels, people, more, checked, todos } = task
  return html`<tr${completed && html` class="done"`}><td><a href="tasks/${encodeURIComponent(file)}" dir="auto" lang="${languageOf(title)}">${title}</a>${completed && html` <span class="state-done" data-t>done</span>`}${labels.length > 0 && html` <span class="chips">${labelChips(labels)}</span>`}</td><td data-name="Group" data-t><span dir="auto" title="${groupTitle(group)}"${isUnnamed(group) && html` data-t`}>${groupTitle(group)}</span></td><td data-name="People" data-t>${people.length > 0 && html`<span title="${people.map(nameOf).join(', ')}">${peopleNames(people)}${more > 0 && html` +${more}`}</span>`}</td><td data-name="Due" data-t>${dueAt !== null && dueDate(dueAt, !completed && !isArchive)}</td><td data-name="Checklist" data-t>${progress(checked, todos)}</td><td data-name="Updated" data-t>${day(updatedAt)}</td></tr>
`
}

/** Links to the years of the archive. */
export function yearLinks(years: readonly (PageLink & { readonly count: number })[]): Markup | null {
  if (years.length === 0) return null
  const links = years.map(
    ({ title, address, count }) =>
      html`<li><a href="${address}" data-t>${titleOf(title)}</a> <small data-t>${counted(count, 'task')}</small></li>`,
  )
  return html`<nav class="years" aria-label="Years" data-t><ul>${joined(links)}</ul></nav>\n`
}
