import type { TaskFact, TaskView } from '@collab-etl/documents'

/** What a line of a file is made of, by column; a list fills as many columns of that name. In JSON lines, any object. */
export type Row = Readonly<Record<string, unknown>>

/** A comment on its way to a tool. */
export interface ConvertedComment {
  readonly createdAt: string | null
  /** What the tool knows its author by; `null`: the text begins with the name. */
  readonly account: string | null
  readonly text: string
}

/** A task on its way to a tool. Texts are Markdown. */
export interface ConvertedTask {
  readonly task: TaskView
  /** Title of its task group. */
  readonly group: string | null
  /** One line, not empty, and not longer than the tool allows. */
  readonly title: string
  /** The description, and all that the tool has no field for. */
  readonly text: string
  /** Their descriptions, which say what the colours mean; else their names. */
  readonly labels: readonly string[]
  /** Accounts of its members. */
  readonly assignees: readonly string[]
  /** None if the tool has no field for them. */
  readonly comments: readonly ConvertedComment[]
}

/** How a task becomes lines of the file of its project. */
export interface TaskForm {
  /** The columns of a CSV file in their order; without them, a line is a JSON object. */
  readonly columns?: readonly string[]
  /** Characters of a title at most. */
  readonly maxTitle: number
  /** How many people a task can be assigned to. */
  readonly maxAssignees: number
  /** Whether people are known by their e-mail address, where no `--people` names another account. */
  readonly knowsEmail?: true
  /** What it has a field for; of the checklist, open items. All else of a task becomes text. */
  readonly fields: ReadonlySet<TaskFact | 'archived' | 'checklist' | 'comments'>
  /** Why it cannot hold a task at all. */
  readonly refuses?: (task: TaskView) => string | null
  /** The line before the tasks of a group. */
  readonly section?: (group: string) => Row
  readonly rows: (task: ConvertedTask) => readonly Row[]
}

/** A tool, and what it imports. */
export interface Target {
  readonly title: string
  readonly tasks?: TaskForm
  /** What becomes Markdown files in an archive, if anything does. */
  readonly pages?: ReadonlySet<string>
}

/** The day of a time in the time zone of this machine; `null` if there is none, or none with a year of four digits. */
export function dayOf(time: string | null): string | null {
  if (secondOf(time) === null) return null
  const date = new Date(time ?? '')
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  const day = parts.map((part) => String(part).padStart(2, '0')).join('-')
  return /^\d{4}-/.test(day) ? day : null
}

/** A time in UTC to the second, as `YYYY-MM-DD HH:MM:SS`. */
export function secondOf(time: string | null): string | null {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(time ?? '')?.[0].replace('T', ' ') ?? null
}

/** Labels as one cell in which a comma ends a label. */
export function byCommas(labels: readonly string[]): string {
  return labels.map((label) => label.replace(/\s*,\s*/g, ' ').trim()).join(', ')
}

/** A label for a tool in which a space ends one. */
export function withoutSpaces(label: string): string {
  return label.trim().replace(/\s+/g, '_')
}
