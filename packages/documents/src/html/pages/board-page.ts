import type { TaskRow } from '../list-rows.ts'
import { html, joined, type Markup } from '../markup.ts'
import { groupTitle, isUnnamed, type TaskGroup } from '../task-groups.ts'
import { avatars, dueDate, filterFragment, labelChips, NO_GROUP, progress } from './chips.ts'
import { NO_TASKS } from './task-list-page.ts'
import { count, languageOf } from './words.ts'

/** Tasks of one state in a column: how many there are, and the first of them. */
interface ColumnPart {
  readonly count: number
  readonly shown: readonly TaskRow[]
}

/** A column of the board. */
export interface BoardColumn {
  readonly group: TaskGroup
  readonly open: ColumnPart
  readonly done: ColumnPart
}

/** The columns of the board, piece by piece. A switch in the heading of the page shows the tasks that are done. */
export function* boardColumns(columns: readonly BoardColumn[]): Generator<Markup> {
  if (columns.length === 0) {
    yield NO_TASKS
    return
  }
  yield html`<div class="board" tabindex="0" role="group" aria-label="Columns of the board" data-t>\n`
  for (const [index, column] of columns.entries()) yield boardColumn(column, index)
  yield html`</div>\n`
}

function boardColumn({ group, open, done }: BoardColumn, index: number): Markup {
  const title = groupTitle(group)
  const address = `tasks.html${filterFragment('group', group.id ?? NO_GROUP)}`
  return html`<div class="column">
<header><h2 id="column-${index}"><a class="clamped" href="${address}" dir="auto" lang="${languageOf(title)}" title="${title}"${isUnnamed(group) && html` data-t`}>${title}</a></h2>
<p class="column-about" data-t><span data-t>${count(open.count)} open</span>, <span data-t>${count(done.count)} done</span></p></header>
<ul class="tickets" tabindex="0" aria-labelledby="column-${index}">
${joined(open.shown.map(ticket))}${moreTasks(open, 'open', address)}${joined(done.shown.map(ticket))}${moreTasks(done, 'done', address)}</ul>
</div>
`
}

/** The tasks that the board leaves out, as a link to the list. */
function moreTasks({ count: all, shown }: ColumnPart, state: 'open' | 'done', address: string): Markup | null {
  if (all === shown.length) return null
  const more = `${count(all - shown.length)} more ${state} in the list`
  return html`<li class="column-more${state === 'done' && ' done'}"><a href="${address}&amp;state=${state}" data-t>${more}</a></li>\n`
}

function ticket(task: TaskRow): Markup {
  const { file, title, completed, dueAt, labels, people, checked, todos } = task
  const facts = [
    ...(dueAt === null ? [] : [dueDate(dueAt, !completed)]),
    ...(todos > 0 ? [html`${progress(checked, todos)}`] : []),
    ...(people.length > 0 ? [avatars(people)] : []),
  ]
  return html`<li class="ticket${completed && ' done'}">
${labels.length > 0 && html`<div class="chips">${labelChips(labels)}</div>`}
<a href="tasks/${encodeURIComponent(file)}" dir="auto" lang="${languageOf(title)}">${title}</a>${completed && html` <span class="state-done" data-t>done</span>`}
${facts.length > 0 && html`<div class="facts">${joined(facts)}</div>`}</li>
`
}
