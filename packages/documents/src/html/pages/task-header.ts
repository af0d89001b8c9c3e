import type { Label } from '../../views/task.ts'
import { html, joined, type Markup } from '../markup.ts'
import { groupTitle, type TaskGroup } from '../task-groups.ts'
import { filterFragment, labelChip } from './chips.ts'
import { counted } from './words.ts'

/** The files that show a project's tasks. */
export type TaskListFile = 'board.html' | 'tasks.html' | 'archive.html'

/** Groups and labels that the header names. */
const SHOWN = 60

const VIEWS: readonly (readonly [file: TaskListFile, word: string])[] = [
  ['board.html', 'Board'],
  ['tasks.html', 'List'],
  ['archive.html', 'Archived'],
]

/** The heading of the board and the lists: counts, the views, groups and labels that filter the list. */
export function taskHeader(
  current: TaskListFile,
  tasks: {
    readonly open: number
    readonly done: number
    readonly archived: number
    readonly groups: readonly TaskGroup[]
    /** Of the project. */
    readonly labels: readonly Label[]
  },
): Markup {
  const { open, done, archived, groups, labels } = tasks
  const views = VIEWS.map(
    ([file, word]) => html`<li><a href="${file}"${file === current && html` aria-current="page"`}>${word}</a></li>`,
  )
  return html`<header>
<h1>${current === 'archive.html' ? 'Archived tasks' : 'Tasks'}</h1>
<p class="about"><span>${counted(open + done, 'task')}</span><span>${open.toLocaleString('en')} open</span><span>${done.toLocaleString('en')} done</span><span>${archived.toLocaleString('en')} archived</span></p>
<nav class="views" aria-label="Views of tasks"><ul>${joined(views)}</ul></nav>
${current === 'tasks.html' && filters(groups, labels)}</header>
`
}

/** Links that filter the list by a script; without it they lead to the list as it is. */
function filters(groups: readonly TaskGroup[], labels: readonly Label[]): Markup {
  const ofGroups = groups
    .slice(0, SHOWN)
    .map(
      (group) =>
        html`<a class="chip" href="${filterFragment('group', group.id ?? '')}" dir="auto">${groupTitle(group)}</a>`,
    )
  const ofLabels = labels.slice(0, SHOWN).map(({ name, description }) => {
    return labelChip(name, description, filterFragment('label', name))
  })
  return html`${ofGroups.length > 0 && html`<p class="chips"><span class="chips-of">Groups</span>${joined(ofGroups)}</p>`}
${ofLabels.length > 0 && html`<p class="chips"><span class="chips-of">Labels</span>${joined(ofLabels)}</p>`}
`
}
