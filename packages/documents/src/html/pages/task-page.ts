import type { Person } from '../../people.ts'
import type { TaskView } from '../../views/task.ts'
import { html, joined, type Markup } from '../markup.ts'
import { listOf, said } from '../report-layout.ts'
import { groupTitle, isUnnamed, type TaskGroup } from '../task-groups.ts'
import type { RenderedText } from '../text/render.ts'
import { dueDate, filterFragment, labelChips, NO_GROUP, personLinks } from './chips.ts'
import { breadcrumb, type PageLink } from './layout.ts'
import { attachmentList, commentList, type RenderedComment } from './record-page.ts'
import { counted, languageOf, time, titleOf } from './words.ts'

/** The contents of the main part of a task's page. */
export interface TaskPage {
  readonly task: TaskView
  readonly pid: string
  readonly group: TaskGroup
  readonly above: readonly PageLink[]
  /** Address of the list that has the task. */
  readonly list: string
  readonly description: RenderedText
  readonly comments: readonly RenderedComment[]
  /** The address of a person's page; `null` if there is none. */
  readonly linkTo: (person: Person) => string | null
}

/** The main part of a task's page. */
export function taskPage(page: TaskPage): Markup {
  const { task, above, list, group, description } = page
  const title = titleOf(task.title)
  const groupLink = html`<a href="${list}${filterFragment('group', task.groupId ?? NO_GROUP)}" dir="auto"${isUnnamed(group) && html` data-t`}>${groupTitle(group)}</a>`
  return html`${breadcrumb(above, title)}
<article class="record task">
<header>
<h1 lang="${languageOf(title)}" dir="auto">${title}</h1>
<p class="about"><span class="kind" data-t>Task</span>${stateOf(task)}${task.archived && html`<span class="badge" data-t>archived</span>`}</p>
</header>
<dl class="facts-list">
${fact('Group', groupLink)}${people(page)}${labels(task, list)}${dates(task)}</dl>
${description.isRaw && html`<p class="note" data-t>Too long or too intricate to be laid out: this is the text as it was written.</p>`}
<div class="text" lang="${languageOf(description.plain)}" dir="${description.dir}">
${description.plain === '' && html`<p class="empty" data-t>There is no description.</p>`}${description.markup}
</div>
${checklist(task)}
${attachmentList(task.attachments)}${counts(task)}${page.comments.length > 0 && commentList(page.comments)}
${details(page)}
</article>
`
}

function fact(name: string, value: Markup): Markup {
  return html`<div><dt data-t>${name}</dt><dd>${value}</dd></div>\n`
}

function stateOf({ completed }: TaskView): Markup {
  return html`<span class="state${completed && ' state-done'}" data-t>${completed ? 'done' : 'open'}</span>`
}

function people({ task: { members }, list, linkTo }: TaskPage): Markup | null {
  if (members.length === 0) return null
  const filtered = (person: Person) => linkTo(person) ?? `${list}${filterFragment('person', person.uid)}`
  return fact('People', personLinks(members, filtered))
}

function labels({ labels }: TaskView, list: string): Markup | null {
  if (labels.length === 0) return null
  const chips = labelChips(labels, ({ name }) => `${list}${filterFragment('label', name)}`)
  return fact('Labels', html`<span class="chips">${chips}</span>`)
}

function dates({ dueAt, completed, archived, completedAt, createdAt, updatedAt }: TaskView): Markup {
  return joined([
    ...(dueAt === null ? [] : [fact('Due', dueDate(dueAt, !completed && !archived, true))]),
    ...(completedAt === null ? [] : [fact('Completed', time(completedAt))]),
    ...(createdAt === null ? [] : [fact('Created', time(createdAt))]),
    ...(updatedAt === null ? [] : [fact('Updated', time(updatedAt))]),
  ])
}

function checklist({ todos }: TaskView): Markup | null {
  if (todos.length === 0) return null
  const items = todos.map(
    ({ name, checked }) =>
      html`<li${checked && html` class="done"`}><span class="box" role="img" aria-label="${checked ? 'done' : 'to do'}" data-t>${checked ? '☑' : '☐'}</span><span dir="auto">${titleOf(name)}</span></li>\n`,
  )
  const done = todos.filter(({ checked }) => checked).length
  return html`<section class="checklist"><h2><span data-t>Checklist</span> <small data-t>${done} of ${todos.length} done</small></h2>
<ul>
${joined(items)}</ul></section>`
}

function counts({ comments, unreadComments, unreadFiles }: TaskView): Markup | null {
  if (unreadComments === 0 && unreadFiles === 0) return null
  const parts = [
    ...(unreadComments > 0 ? [said(counted(unreadComments, 'comment'))] : []),
    ...(unreadFiles > 0 ? [said(counted(unreadFiles, comments.length > 0 ? 'further attachment' : 'attachment'))] : []),
  ]
  return html`<p class="note" data-t>The service counts ${listOf(parts)} here. Its API does not give them: they are not in this backup.</p>`
}

const NONE = html`<span data-t>none</span>`

function details({ task: { id, position, watchers }, pid, linkTo }: TaskPage): Markup {
  return html`<details class="details"><summary data-t>Details</summary>
<dl><dt data-t>Task id</dt><dd><code>${id}</code></dd>
<dt data-t>Project id</dt><dd><code>${pid}</code></dd>
<dt data-t>Position</dt><dd>${position ?? NONE}</dd>
<dt data-t>Watchers</dt><dd>${watchers.length === 0 ? NONE : personLinks(watchers, linkTo)}</dd></dl></details>`
}
