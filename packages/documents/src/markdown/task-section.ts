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

/** A task as a section of a file; `group` is the title of its group where the file has several. */
export function taskSection(task: TaskView, { description, comments }: TaskTexts, group?: string | null): string {
  const facts = [
    ...(group === undefined ? [] : [`Task group: ${titleText(group)}`]),
    stateOf(task),
    ...(task.dueAt === null ? [] : [`Due: ${inlineText(task.dueAt)}`]),
    ...namedList('Assigned to', task.members.map(personText)),
    ...namedList('Labels', task.labels.map(labelText)),
    ...namedList('Watchers', task.watchers.map(personText)),
    ...(task.createdAt === null ? [] : [`Created: ${inlineText(task.createdAt)}`]),
    ...(task.updatedAt === null ? [] : [`Updated: ${inlineText(task.updatedAt)}`]),
    ...namedList('Attachments', task.attachments.map(attachmentText)),
    ...(task.unreadComments + task.unreadFiles === 0
      ? []
      : [`Not in the backup: ${counted(task.unreadComments, 'comment')}, ${counted(task.unreadFiles, 'attachment')}`]),
    `Task: ${inlineCode(task.id)}`,
  ]
  const parts = [
    `${anchorLine('task', task.id)}## ${titleText(task.title)}\n`,
    facts.map((fact) => `- ${fact}\n`).join(''),
    quoted(description),
    checklist(task.todos),
    ...comments.map(commentText),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

function stateOf({ completed, completedAt }: TaskView): string {
  if (!completed) return 'Open'
  return completedAt === null ? 'Done' : `Done: ${inlineText(completedAt)}`
}

function checklist(todos: readonly Todo[]): string {
  if (todos.length === 0) return ''
  const done = todos.filter(({ checked }) => checked).length
  const items = todos.map(({ name, checked }) => `- [${checked ? 'x' : ' '}] ${titleText(name)}\n`)
  return `Checklist (${done} of ${todos.length} done):\n\n${items.join('')}`
}

function namedList(name: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`${name}: ${items.join(', ')}`]
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
