import { html, joined, type Markup } from '../markup.ts'
import { count, counted } from './words.ts'

/** The files that show a project's tasks. */
export type TaskListFile = 'board.html' | 'tasks.html' | 'archive.html'

const VIEWS: readonly (readonly [file: TaskListFile, word: string])[] = [
  ['board.html', 'Board'],
  ['tasks.html', 'List'],
  ['archive.html', 'Archived'],
]

/** The heading of the board and the lists: counts, the views, on the board the switch for tasks that are done. */
export function taskHeader(
  current: TaskListFile,
  tasks: {
    readonly open: number
    readonly done: number
    readonly archived: number
  },
): Markup {
  const { open, done, archived } = tasks
  const views = VIEWS.map(
    ([file, word]) =>
      html`<li><a href="${file}"${file === current && html` aria-current="page"`} data-t>${word}</a></li>`,
  )
  const isBoard = current === 'board.html'
  return html`<header class="head">
<h1 data-t>${current === 'archive.html' ? 'Archived tasks' : 'Tasks'}</h1>
<nav class="views" aria-label="Views of tasks" data-t><ul>${joined(views)}</ul></nav>
<p class="about"><span data-t>${counted(open + done, 'task')}</span><span data-t>${count(open)} open</span><span data-t>${count(done)} done</span><span data-t>${count(archived)} archived</span></p>
${isBoard && done > 0 && html`<label class="switch"><input type="checkbox" id="show-done"><span data-t>Show tasks that are done</span></label>`}</header>
`
}
