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

/** What the fields of a tool are made of. */
export interface TaskValues {
  readonly task: TaskView
  /** Title of its task group, on one line; `null` without one. */
  readonly group: string | null
  /** One line, not empty, and not longer than the tool allows. */
  readonly title: string
  /** Their descriptions, which say what the colours mean, else their names; as the tool takes them, each once. */
  readonly labels: readonly string[]
  /** Accounts of its members. */
  readonly assignees: readonly string[]
}

/** A task on its way to a tool. Texts are Markdown. */
export interface ConvertedTask extends TaskValues {
  /** The description, and all that the tool has no field for. */
  readonly text: string
  /** None if the tool has no field for them. What did not fit into `text` comes first. */
  readonly comments: readonly ConvertedComment[]
}

/** Values of a task, by their names in `not-converted.csv`. */
export type TaskField =
  | Exclude<TaskFact, 'id' | 'state'>
  | 'title'
  | 'completion'
  | 'archived'
  | 'checklist'
  | 'comments'

/** How a task becomes lines of the file of its project. */
export interface TaskForm {
  /** The columns of a CSV file in their order; without them, a line is a JSON object. */
  readonly columns?: readonly string[]
  readonly rows: (task: ConvertedTask) => readonly Row[]
  /**
   * What it has a field for, and of which tasks that holds the value exactly. All else becomes text, and is listed. Of titles, labels and people,
   * what is shortened, changed or without an account becomes text in any case.
   */
  readonly holds: { readonly [field in TaskField]?: true | ((values: TaskValues) => boolean) }
  /** The items of a checklist that it has a field for. */
  readonly holdsTodo?: (todo: TaskView['todos'][number]) => boolean
  /** Characters of a title at most, with what follows it in its field. */
  readonly maxTitle: number
  readonly afterTitle?: (labels: readonly string[]) => string
  /** Characters of the text, and of a comment, at most. What does not fit goes into comments. */
  readonly maxText?: number
  /** Bytes of all texts of a task at most. */
  readonly maxBytes?: number
  /** Characters of a label at most, and what it cannot contain. */
  readonly maxLabel: number
  readonly cleanLabel?: (label: string) => string
  /** Whether a task group becomes a label. */
  readonly groupIsLabel?: true
  /** How many people a task can be assigned to. */
  readonly maxAssignees: number
  /** Whether people are known by their e-mail address, where no `--people` names another account. */
  readonly knowsEmail?: true
  /** Why it cannot hold a task at all. */
  readonly refuses?: (task: TaskView) => string | null
  /** The line before the tasks of a group. */
  readonly section?: { readonly maxTitle: number; readonly row: (group: string) => Row }
}

/** A tool, and what it imports. */
export interface Target {
  readonly title: string
  readonly tasks?: TaskForm
  /** What becomes Markdown files in an archive, if anything does; its titles have this many characters at most. */
  readonly pages?: ReadonlySet<string>
  readonly maxPageTitle?: number
}

/** The day of a time in the time zone of this machine; `null` if there is none, or none with a year of four digits. */
export function dayOf(time: string | null): string | null {
  if (secondOf(time) === null) return null
  const date = new Date(time ?? '')
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  const day = parts.map((part) => String(part).padStart(2, '0')).join('-')
  return /^\d{4}-/.test(day) ? day : null
}

/** Whether a time is the beginning of a day in the time zone of this machine, with a year of four digits. */
export function isDay(time: string | null): boolean {
  const day = dayOf(time)
  return day !== null && new Date(`${day}T00:00:00`).getTime() === new Date(time ?? '').getTime()
}

/** A time in UTC to the second, as `YYYY-MM-DD HH:MM:SS`; `null` if there is none, or none with a year of four digits. */
export function secondOf(time: string | null): string | null {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(time ?? '')?.[0].replace('T', ' ') ?? null
}

export function oneLine(text: string | null): string {
  return (text ?? '').replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** The beginning of a text, without half a surrogate pair. */
export function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

/** A text in parts of so many characters at most. */
export function pieces(text: string, length = Number.POSITIVE_INFINITY): string[] {
  const parts: string[] = []
  for (let rest = text; rest !== ''; rest = rest.slice(parts.at(-1)?.length)) parts.push(cut(rest, length))
  return parts
}
