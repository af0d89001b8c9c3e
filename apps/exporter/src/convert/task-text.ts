import {
  checklist,
  closed,
  commentText,
  factList,
  type Person,
  type ShownComment,
  type TaskView,
  taskFacts,
} from '@collab-etl/documents'
import type { LabelNames } from './label-names.ts'
import {
  type ConvertedComment,
  type ConvertedTask,
  cut,
  oneLine,
  pieces,
  type TaskField,
  type TaskForm,
  type TaskValues,
} from './target.ts'

type AccountOf = (person: Person) => string | null

/** A task in the form that a tool takes, the fields that became text, and those that are in no file. */
interface Converted {
  readonly converted: ConvertedTask
  readonly inText: readonly string[]
  readonly leftOut: readonly string[]
}

/** Converts a task for a tool. Values that no field of the tool holds exactly are at the end of the text. */
export function convertTask(
  task: TaskView,
  group: string | null,
  form: TaskForm,
  labelNames: LabelNames,
  accountOf: AccountOf,
): Converted {
  const { values, isHeld } = valuesOf(task, group, form, labelNames, accountOf)
  const facts = taskFacts(task, group ?? undefined).filter(
    // the tool gives its own ids
    ([fact]) => fact !== 'id' && !isHeld(fact === 'state' ? 'completion' : fact),
  )
  const isTitleInText = !isHeld('title')
  const isArchivedInText = task.archived && !isHeld('archived')
  const todos = task.todos.filter((todo) => !form.holdsTodo?.(todo))
  const comments = isHeld('comments') ? [] : task.comments
  const parts = [
    isTitleInText ? closed(task.title?.trim() ?? '') : '',
    closed(task.description),
    `${isArchivedInText ? '- Archived\n' : ''}${factList(facts)}`,
    checklist(todos),
    ...comments.map((comment) => commentText(comment)),
  ]
  const whole = parts.map((part) => part.trimEnd()).filter((part) => part !== '')
  const [text = '', ...rest] = pieces(whole.join('\n\n'), form.maxText)
  const further = [
    ...rest.map((piece) => ({ createdAt: task.createdAt, account: null, text: piece })),
    ...(isHeld('comments') ? task.comments.flatMap((comment) => convertComment(comment, form, accountOf)) : []),
  ]
  const kept = isHeld('comments') ? within(further, (form.maxBytes ?? Number.POSITIVE_INFINITY) - sizeOf(text)) : []
  const hasColours = isHeld('labels') && task.labels.some(({ description }) => oneLine(description) !== '')
  return {
    converted: { ...values, text, comments: kept },
    inText: [
      ...(isTitleInText ? ['title'] : []),
      ...facts.map(([fact]) => (fact === 'state' ? 'completion' : fact)),
      ...(isArchivedInText ? ['archived'] : []),
      ...(todos.length > 0 ? ['checklist'] : []),
      ...(comments.length > 0 ? ['comments'] : []),
    ],
    leftOut: [
      ...(kept.length < further.length ? ['end of the text'] : []),
      ...(hasColours ? ['colour of labels'] : []),
    ],
  }
}

/** The values for the fields of a tool, and whether they hold each of them exactly. */
function valuesOf(
  task: TaskView,
  groupTitle: string | null,
  form: TaskForm,
  labelNames: LabelNames,
  accountOf: AccountOf,
): { readonly values: TaskValues; readonly isHeld: (field: TaskField) => boolean } {
  const group = oneLine(groupTitle) || null
  const groupLabels = form.groupIsLabel && group !== null ? [labelNames.of('group', group)] : []
  const wanted = task.labels.map(({ name, description }) => oneLine(description) || oneLine(name))
  const labelled = wanted.map((label) => labelNames.of('label', label))
  const labels = [...new Set([...groupLabels, ...labelled])].filter((label) => label !== '')
  const named = task.members.flatMap((person) => accountOf(person) ?? [])
  const whole = oneLine(task.title) || 'Untitled'
  const room = form.maxTitle - (form.afterTitle?.(labels) ?? '').length
  const title = whole.length > room ? `${cut(whole, room - 1)}…` : whole
  const values = { task, group, title, labels, assignees: named.slice(0, form.maxAssignees) }
  const exact: { readonly [field in TaskField]?: boolean } = {
    title: title === (task.title?.trim() || title),
    group: group === (groupTitle?.trim() || group) && groupLabels.every((label) => label === group),
    labels: labelled.every((label, index) => label.toLowerCase() === wanted[index]?.toLowerCase()),
    members: values.assignees.length === task.members.length,
  }
  const isHeld = (field: TaskField) => {
    const held = form.holds[field] ?? false
    return exact[field] !== false && (typeof held === 'function' ? held(values) : held)
  }
  return { values, isHeld }
}

/** The author goes into the text too: not every importer sets one. */
function convertComment(comment: ShownComment, { maxText }: TaskForm, accountOf: AccountOf): ConvertedComment[] {
  const { author, createdAt } = comment
  const account = author && accountOf(author)
  return pieces(commentText(comment, closed).trimEnd(), maxText).map((text) => ({ createdAt, account, text }))
}

/** Bytes of a text in JSON, with a margin for the field names around it. */
const sizeOf = (text: string) => Buffer.byteLength(JSON.stringify(text)) + 200

/** The first comments, as many as fit. */
function within(comments: readonly ConvertedComment[], bytes: number): readonly ConvertedComment[] {
  let used = 0
  return comments.filter(({ text }) => {
    used += sizeOf(text)
    return used <= bytes
  })
}
