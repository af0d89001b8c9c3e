import type { ShownComment } from '../views/comments.ts'
import type { Label, TaskView, Todo } from '../views/task.ts'
import { anchorLine } from './anchor.ts'
import { attachmentText } from './comments.ts'
import { commentText } from './file-section.ts'
import { inlineCode, inlineText } from './inline.ts'
import { personText } from './person-text.ts'
import { quoted } from './quoted.ts'

/** The texts of a task with their links rewritten. */
export interface TaskTexts {
  readonly description: string
  readonly comments: readonly ShownComment[]
}

/** What a line about a task says. */
export type TaskFact =
  | 'group'
  | 'state'
  | 'due'
  | 'members'
  | 'labels'
  | 'watchers'
  | 'created'
  | 'updated'
  | 'attachments'
  | 'unread'
  | 'id'

/** A task as a section of a file; `group` is the title of its group where the file has several. */
export function taskSection(task: TaskView, { description, comments }: TaskTexts, group?: string | null): string {
  const heading = `${anchorLine('task', task.id)}## ${titleText(task.title)}\n`
  const facts = factList(taskFacts(task, group))
  const parts = [
    heading,
    facts,
    quoted(description),
    checklist(task.todos),
    ...comments.map((comment) => commentText(comment)),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

/** The facts as a list. */
export function factList(facts: Iterable<readonly [TaskFact, string]>): string {
  return [...facts].map(([, text]) => `- ${text}\n`).join('')
}

/** What is known of a task, besides its texts and its checklist. */
export function taskFacts(task: TaskView, group: string | null | undefined): readonly (readonly [TaskFact, string])[] {
  const unread = task.unreadComments + task.unreadFiles
  const facts: readonly (readonly [TaskFact, string | null])[] = [
    ['group', group === undefined ? null : `Task group: ${titleText(group)}`],
    ['state', stateOf(task)],
    ['due', task.dueAt && `Due: ${inlineText(task.dueAt)}`],
    ['members', namedList('Assigned to', task.members.map(personText))],
    ['labels', namedList('Labels', task.labels.map(labelText))],
    ['watchers', namedList('Watchers', task.watchers.map(personText))],
    ['created', task.createdAt && `Created: ${inlineText(task.createdAt)}`],
    ['updated', task.updatedAt && `Updated: ${inlineText(task.updatedAt)}`],
    ['attachments', namedList('Attachments', task.attachments.map(attachmentText))],
    [
      'unread',
      unread === 0
        ? null
        : `Not in the backup: ${counted(task.unreadComments, 'comment')}, ${counted(task.unreadFiles, 'attachment')}`,
    ],
    ['id', `Task: ${inlineCode(task.id)}`],
  ]
  return facts.flatMap(([fact, text]) => (text ? [[fact, text] as const] : []))
}

function stateOf({ completed, completedAt }: TaskView): string {
  if (!completed) return completedAt === null ? 'Open' : `Open, completed before: ${inlineText(completedAt)}`
  return completedAt === null ? 'Done' : `Done: ${inlineText(completedAt)}`
}

/** The checklist of a task as a list of checkboxes; empty without items. */
export function checklist(todos: readonly Todo[]): string {
  if (todos.length === 0) return ''
  const done = todos.filter(({ checked }) => checked).length
  const items = todos.map(({ name, checked }) => `- [${checked ? 'x' : ' '}] ${titleText(name)}\n`)
  return `Checklist (${done} of ${todos.length} done):\n\n${items.join('')}`
}

function namedList(name: string, items: readonly string[]): string | null {
  return items.length === 0 ? null : `${name}: ${items.join(', ')}`
}

/** A title inside a line of Markdown. */
export function titleText(title: string | null): string {
  return inlineText(title ?? '') || 'Untitled'
}

/** A label with its description, if it has one. */
export function labelText({ name, description }: Label): string {
  return description ? `${inlineText(name)} (${inlineText(description)})` : inlineText(name)
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
