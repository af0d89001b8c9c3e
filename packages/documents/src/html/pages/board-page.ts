import type { TaskRow } from '../list-rows.ts'
import { html, joined, type Markup } from '../markup.ts'
import { groupTitle, type TaskGroup } from '../task-groups.ts'
import { dueDate, filterFragment, labelChip, NO_GROUP, peopleNames, progress } from './chips.ts'
import { NO_TASKS } from './task-list-page.ts'
import { languageOf } from './words.ts'

/** A column of the board. */
export interface BoardColumn {
  readonly group: TaskGroup
  readonly open: number
  readonly completed: number
  /** The first tasks: open ones, then completed ones. */
  readonly shown: readonly TaskRow[]
}

/** The columns of the board, piece by piece. */
export function* boardColumns(columns: readonly BoardColumn[]): Generator<Markup> {
  if (columns.length === 0) {
    yield NO_TASKS
    return
  }
  yield html`<div class="board" tabindex="0" role="group" aria-label="Columns of the board">\n`
  for (const [index, column] of columns.entries()) yield boardColumn(column, index)
  yield html`</div>\n`
}

function boardColumn({ group, open, completed, shown }: BoardColumn, index: number): Markup {
  const title = groupTitle(group)
  const address = `tasks.html${filterFragment('group', group.id ?? NO_GROUP)}`
  const left = open + completed - shown.length
  return html`<section class="column" aria-labelledby="column-${index}">
<h2 id="column-${index}"><a href="${address}" dir="auto" lang="${languageOf(title)}">${title}</a></h2>
<p class="column-about">${open.toLocaleString('en')} open, ${completed.toLocaleString('en')} done</p>
<ul class="tickets">
${joined(shown.map(ticket))}</ul>
${left > 0 && html`<p class="column-more"><a href="${address}">${left.toLocaleString('en')} more in the list</a></p>`}
</section>
`
}

function ticket(task: TaskRow): Markup {
  const { file, title, completed, dueAt, labels, people, checked, todos } = task
  const facts = [
    ...(dueAt === null ? [] : [dueDate(dueAt, !completed)]),
    ...(todos > 0 ? [html`${progress(checked, todos)}`] : []),
    ...(people.length > 0 ? [html`<span class="people">${peopleNames(people)}</span>`] : []),
  ]
  return html`<li class="ticket${completed && ' done'}">
${labels.length > 0 && html`<div class="chips">${joined(labels.map((label) => labelChip(label)))}</div>`}
<a href="tasks/${encodeURIComponent(file)}" dir="auto" lang="${languageOf(title)}">${title}</a>${completed && html` <span class="state-done">done</span>`}
${facts.length > 0 && html`<p class="facts">${joined(facts)}</p>`}</li>
`
}
