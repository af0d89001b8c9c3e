import {
  checklist,
  closed,
  commentText,
  factList,
  type Person,
  type ShownComment,
  type TaskFact,
  type TaskView,
  taskFacts,
} from '@collab-etl/documents'
import type { ConvertedComment, ConvertedTask, TaskForm } from './target.ts'

/** A task as a form takes it, and what became text. */
interface Converted {
  readonly converted: ConvertedTask
  readonly inText: readonly string[]
}

/** Makes of a task what a form takes. What has no field there is at the end of its text. */
export function convertTask(
  task: TaskView,
  group: string | null,
  form: TaskForm,
  accountOf: (person: Person) => string | null,
): Converted {
  const { fields } = form
  const named = task.members.flatMap((person) => accountOf(person) ?? [])
  const assignees = named.slice(0, form.maxAssignees)
  const whole = oneLine(task.title) || 'Untitled'
  const title = whole.length > form.maxTitle ? `${cut(whole, form.maxTitle - 1)}…` : whole
  const isInText = (fact: TaskFact) => {
    if (fact === 'members') return assignees.length < task.members.length
    // the number of a record of the service, which the tool counts anew
    return fact !== 'id' && !fields.has(fact) && !(fact === 'state' && !task.completed)
  }
  const facts = taskFacts(task, group ?? undefined).filter(([fact]) => isInText(fact))
  const isArchivedInText = task.archived && !fields.has('archived')
  const todos = fields.has('checklist') ? task.todos.filter(({ checked }) => checked) : task.todos
  const comments = fields.has('comments') ? [] : task.comments
  const parts = [
    title === whole ? '' : whole,
    closed(task.description),
    `${isArchivedInText ? '- Archived\n' : ''}${factList(facts)}`,
    checklist(todos),
    ...comments.map((comment) => commentText(comment)),
  ]
  const text = parts.map((part) => part.trimEnd()).filter((part) => part !== '')
  return {
    converted: {
      task,
      group,
      title,
      text: text.join('\n\n'),
      labels: task.labels.map(({ name, description }) => oneLine(description) || oneLine(name)),
      assignees,
      comments: fields.has('comments') ? task.comments.map((comment) => convertComment(comment, accountOf)) : [],
    },
    inText: [
      ...(title === whole ? [] : ['title']),
      ...facts.map(([fact]) => (fact === 'state' ? 'completion' : fact)),
      ...(isArchivedInText ? ['archived'] : []),
      ...(todos.length > 0 ? ['checklist'] : []),
      ...(comments.length > 0 ? ['comments'] : []),
    ],
  }
}

/** The author goes into the text too: not every importer sets one. */
function convertComment(comment: ShownComment, accountOf: (person: Person) => string | null): ConvertedComment {
  const { author, createdAt } = comment
  return { createdAt, account: author && accountOf(author), text: commentText(comment, closed).trimEnd() }
}

function oneLine(text: string | null): string {
  return (text ?? '').replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** The beginning of a text, without half a surrogate pair. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}
