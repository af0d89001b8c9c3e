import type { TaskFact, TaskView } from '@collab-etl/documents'

/** What a line of a file is made of, by column; a list fills as many columns of that name. In JSON lines, any object. */
export type Row = Readonly<Record<string, unknown>>

/** A comment on its way to a tool. */
export interface ConvertedComment {
  readonly createdAt: string | null
  /** The account of its author in the tool; `null`: not known. The text begins with the author's name in any case. */
  readonly account: string | null
  readonly text: string
}

/** The values that the fields of a tool are made of. */
export interface TaskValues {
  readonly task: TaskView
  /** Title of its task group, on one line; `null` without one. */
  readonly group: string | null
  /** One line, not empty, and not longer than the tool allows. */
  readonly title: string
  /** Descriptions of its labels, which say what the colours mean, else their names; each once, in the form that the tool accepts. */
  readonly labels: readonly string[]
  /** Accounts of its members. */
  readonly assignees: readonly string[]
}

/** A task on its way to a tool. Texts are Markdown. */
export interface ConvertedTask extends TaskValues {
  /** The description, and all that the tool has no field for. */
  readonly text: string
  /** Empty if the tool has no field for comments. The rest of a `text` that was too long comes first. */
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
   * The values that have a field in the tool, with a test if that field holds only some of them exactly. All others become text, and are listed;
   * so do titles and labels that were shortened or changed, and people without an account.
   */
  readonly holds: { readonly [field in TaskField]?: true | ((values: TaskValues) => boolean) }
  /** Whether the tool has a field for an item of a checklist. */
  readonly holdsTodo?: (todo: TaskView['todos'][number]) => boolean
  /** Maximum number of characters of a title, with the text that follows it in its field (`afterTitle`). */
  readonly maxTitle: number
  readonly afterTitle?: (labels: readonly string[]) => string
  /** Maximum number of characters of the text, and of a comment. The rest of the text goes into comments. */
  readonly maxText?: number
  /** Maximum number of bytes of all texts of a task. */
  readonly maxBytes?: number
  /** Maximum number of characters of a label; `cleanLabel` replaces those that it cannot contain. */
  readonly maxLabel: number
  readonly cleanLabel?: (label: string) => string
  /** Whether a task group becomes a label. */
  readonly groupIsLabel?: true
  /** How many people a task can be assigned to. */
  readonly maxAssignees: number
  /** Whether people are known by their e-mail address, where no `--people` names another account. */
  readonly knowsEmail?: true
  /** Why the tool cannot take a task at all; `null`: it can. */
  readonly refuses?: (task: TaskView) => string | null
  /** The line before the tasks of a group. */
  readonly section?: { readonly maxTitle: number; readonly row: (group: string) => Row }
}

/** A tool, and what it imports. */
export interface Target {
  readonly title: string
  readonly tasks?: TaskForm
  /** The kinds of records that become Markdown files in an archive; missing: there is no archive. */
  readonly pages?: ReadonlySet<string>
  /** Maximum number of characters of the title of such a file. */
  readonly maxPageTitle?: number
}

/** The day of a time in the time zone of this machine; `null` if there is no time, or its year does not have four digits. */
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

/** A time in UTC to the second, as `YYYY-MM-DD HH:MM:SS`; `null` if there is no time, or its year does not have four digits. */
export function secondOf(time: string | null): string | null {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(time ?? '')?.[0].replace('T', ' ') ?? null
}

export function oneLine(text: string | null): string {
  return (text ?? '').replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** The first `length` UTF-16 units of a text, without a lone surrogate at the end. */
export function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

/** A text in parts of at most `length` UTF-16 units. */
export function pieces(text: string, length = Number.POSITIVE_INFINITY): string[] {
  const parts: string[] = []
  for (let rest = text; rest !== ''; rest = rest.slice(parts.at(-1)?.length)) parts.push(cut(rest, length))
  return parts
}
