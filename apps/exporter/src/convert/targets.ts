import {
  type ConvertedTask,
  cut,
  dayOf,
  isDay,
  oneLine,
  type Row,
  secondOf,
  type Target,
  type TaskForm,
  type TaskValues,
} from './target.ts'

type Columns = Readonly<Record<string, (task: ConvertedTask) => string | readonly string[] | null | undefined>>

/** A CSV file with a line per task. */
function table(columns: Columns): Pick<TaskForm, 'columns' | 'rows'> {
  const cells = Object.entries(columns)
  return {
    columns: Object.keys(columns),
    rows: (task) => [Object.fromEntries(cells.map(([name, cell]) => [name, cell(task)]))],
  }
}

const byCommas = ({ labels }: ConvertedTask) => labels.join(', ')
const withoutCommas = (label: string) => label.replace(/\s*,\s*/g, ' ')
const withoutSpaces = (label: string) => label.replace(/\s+/g, '_')
const isOpen = ({ task }: Pick<TaskValues, 'task'>) => !task.completed && !task.archived
/**
 * Whether the status of a task in the tool says all that is known of its completion: there is no time of completion, no archived task
 * looks completed, and the group of an open one is not called like a final status.
 * @param isArchivedDone whether archived tasks get the same status as completed ones
 */
const isClear = ({ task, group }: TaskValues, isArchivedDone: boolean) =>
  task.completedAt === null &&
  (task.completed || !(isArchivedDone && task.archived)) &&
  !(isOpen({ task }) && /^(?:done|cancell?ed)$/i.test(group ?? ''))
const isDue = ({ task }: TaskValues) => isDay(task.dueAt)
const hasCreated = ({ task }: TaskValues) => secondOf(task.createdAt) !== null
const hasUpdated = ({ task }: TaskValues) => secondOf(task.updatedAt) !== null
const refuses = (task: TaskValues['task']) => (task.archived ? 'archived' : task.completed ? 'completed' : null)

const MAX_STATUS = 60

/** https://support.atlassian.com/jira-cloud-administration/docs/import-data-from-a-csv-file/ */
const jira: Target = {
  title: 'Jira',
  tasks: {
    ...table({
      Summary: ({ title }) => title,
      'Issue Type': () => 'Task',
      Status: (task) => (isOpen(task) ? cut(task.group ?? 'To Do', MAX_STATUS) : 'Done'),
      Assignee: ({ assignees }) => assignees[0],
      'Due Date': ({ task }) => dayOf(task.dueAt)?.concat(' 00:00:00'),
      'Date Created': ({ task }) => secondOf(task.createdAt),
      'Date Modified': ({ task }) => secondOf(task.updatedAt),
      Description: ({ text }) => text,
      Labels: ({ labels }) => labels,
      Comment: ({ comments }) =>
        comments.map(({ createdAt, account, text }) => [secondOf(createdAt) ?? '', account ?? '', text].join(';')),
    }),
    holds: {
      title: true,
      group: (task) => isOpen(task) && (task.group ?? '').length <= MAX_STATUS,
      completion: (task) => isClear(task, true),
      due: isDue,
      members: true,
      labels: true,
      created: hasCreated,
      updated: hasUpdated,
      comments: true,
    },
    maxTitle: 255,
    maxText: 32_000, // a field takes 32,767; a comment begins with its time and author
    maxLabel: 255,
    cleanLabel: withoutSpaces,
    maxAssignees: 1,
    knowsEmail: true,
  },
}

/** Some columns of Linear's own export, which https://github.com/linear/linear reads as "Linear (CSV export)". */
const linear: Target = {
  title: 'Linear',
  tasks: {
    ...table({
      Title: ({ title }) => title,
      Description: ({ text }) => text,
      Status: ({ task, group }) => (task.completed ? 'Done' : task.archived ? 'Canceled' : (group ?? 'Todo')),
      Priority: () => 'No priority',
      Assignee: ({ assignees }) => assignees[0],
      Labels: byCommas,
      'Due Date': ({ task }) => dayOf(task.dueAt),
      Created: ({ task }) => secondOf(task.createdAt) && task.createdAt,
      Updated: ({ task }) => task.updatedAt,
      Completed: ({ task }) => task.completedAt,
    }),
    holds: {
      title: ({ title }) => !title.startsWith("'"), // it removes a leading apostrophe: its own export adds one
      group: isOpen,
      completion: (task) => isClear(task, false),
      members: true,
      // It splits labels at commas, but only before a capital.
      labels: ({ labels }) => labels.slice(1).every((label) => /^[A-Z]/.test(label)),
      created: hasCreated,
    },
    maxTitle: 255,
    maxLabel: 80,
    cleanLabel: (label) =>
      withoutCommas(label)
        .replaceAll('/', ' ')
        .replace(/^[a-z]/, (letter) => letter.toUpperCase()),
    maxAssignees: 1,
    knowsEmail: true,
  },
}

const timeOf = (time: string | null) => secondOf(time)?.replace(' ', 'T').concat('Z')

/** Bodies of `POST /repos/OWNER/REPO/import/issues`: https://gist.github.com/jonmagic/5282384165e0f86ef105 */
const github: Target = {
  title: 'GitHub',
  tasks: {
    rows: ({ task, title, text, labels, assignees, comments }) => {
      const closed = task.completed || task.archived
      const closedAt = closed ? timeOf(task.completedAt) : undefined // which JSON leaves out
      const [assignee] = assignees
      const times = { created_at: timeOf(task.createdAt), updated_at: timeOf(task.updatedAt), closed_at: closedAt }
      const bodies = comments.map(({ createdAt, text: body }) => ({ created_at: timeOf(createdAt), body }))
      return [{ issue: { title, body: text, ...times, assignee, closed, labels }, comments: bodies }]
    },
    holds: {
      title: true,
      group: true,
      completion: ({ task }) =>
        (task.completed || !task.archived) &&
        (task.completedAt === null || (task.completed && secondOf(task.completedAt) !== null)),
      members: true,
      labels: true,
      created: hasCreated,
      updated: hasUpdated,
      comments: true,
    },
    maxTitle: 256,
    maxText: 65_000, // it takes 65,536
    maxBytes: 1_000_000,
    maxLabel: 50,
    groupIsLabel: true,
    maxAssignees: 1,
  },
}

/** https://docs.gitlab.com/user/project/issues/csv_import/ */
const gitlab: Target = {
  title: 'GitLab',
  tasks: {
    ...table({
      title: ({ title }) => title,
      description: ({ text, labels, assignees }) => {
        const actions = [
          ...(labels.length === 0 ? [] : [`/label ${labels.map((name) => `~"${name}"`).join(' ')}`]),
          ...(assignees.length === 0
            ? []
            : [`/assign ${assignees.map((name) => `@${name.replace(/^@/, '')}`).join(' ')}`]),
        ]
        // A line that begins with a slash would be a command.
        const safe = text.replace(/^(\s*)\//gm, '$1\\/')
        return [actions.join('\n'), safe].filter((part) => part !== '').join('\n\n')
      },
      due_date: ({ task }) => dayOf(task.dueAt),
    }),
    holds: {
      title: true,
      completion: ({ task }) => task.completedAt === null,
      due: isDue,
      members: ({ assignees }) => assignees.length < 2, // without a licence it takes one
      labels: true,
    },
    maxTitle: 255,
    maxText: 500_000, // it takes twice as much, actions and escapes included
    maxLabel: 255,
    cleanLabel: (label) => label.replace(/["\s,]+/g, ' '),
    maxAssignees: Number.POSITIVE_INFINITY,
    refuses,
  },
}

const MAX_CONTENT = 500
const MAX_SECTION = 2048
const hashed = (labels: readonly string[]) => labels.map((name) => ` @${name}`).join('')
/** The first labels, as many as leave room for a title. */
const someLabels = (labels: readonly string[]) =>
  labels.filter((_, at) => hashed(labels.slice(0, at + 1)).length <= 250)
const isPlain = (text: string) => text.length <= MAX_CONTENT && !/(?:^|\s)@/.test(text)

/** https://todoist.com/help/articles/import-or-export-a-project-as-a-csv-file-in-todoist-YC8YvN, and its usage limits */
const todoist: Target = {
  title: 'Todoist',
  tasks: {
    columns: 'TYPE CONTENT DESCRIPTION PRIORITY INDENT AUTHOR RESPONSIBLE DATE DATE_LANG TIMEZONE'.split(' '),
    rows: ({ task, title, text, labels, assignees, comments }): Row[] => {
      const date = dayOf(task.dueAt)
      const content = title + hashed(someLabels(labels))
      const own = { TYPE: 'task', CONTENT: content, DESCRIPTION: text, PRIORITY: '4', INDENT: '1' }
      return [
        { ...own, RESPONSIBLE: assignees[0], DATE: date, DATE_LANG: date && 'en' },
        // a note belongs to the task above it
        ...comments.map((comment) => ({ TYPE: 'note', CONTENT: comment.text })),
        ...task.todos
          .filter((todo) => todoist.tasks?.holdsTodo?.(todo))
          .map(({ name }) => ({ TYPE: 'task', CONTENT: oneLine(name) || 'Untitled', PRIORITY: '4', INDENT: '2' })),
      ]
    },
    section: { maxTitle: MAX_SECTION, row: (group) => ({ TYPE: 'section', CONTENT: group }) },
    holds: {
      title: ({ title }) => isPlain(title),
      group: ({ group }) => (group ?? '').length <= MAX_SECTION,
      completion: ({ task }) => task.completedAt === null,
      due: isDue,
      members: true,
      labels: ({ labels }) => someLabels(labels).length === labels.length,
      comments: true,
    },
    holdsTodo: ({ name, checked }) => !checked && isPlain(oneLine(name)),
    maxTitle: MAX_CONTENT,
    afterTitle: (labels) => hashed(someLabels(labels)),
    maxText: 15_000,
    maxLabel: 60,
    cleanLabel: withoutSpaces,
    maxAssignees: 1,
    refuses,
  },
}

const yesOrNo = (is: boolean) => (is ? 'Yes' : 'No')

/** Databases from CSV, and pages from an archive of Markdown files: https://www.notion.com/help/import-data-into-notion */
const notion: Target = {
  title: 'Notion',
  tasks: {
    ...table({
      Name: ({ title }) => title,
      Group: ({ group }) => group,
      Done: ({ task }) => yesOrNo(task.completed),
      Archived: ({ task }) => yesOrNo(task.archived),
      Assignees: ({ assignees }) => assignees.join(', '), // a comma ends an item of a list
      Labels: byCommas,
      Due: ({ task }) => task.dueAt,
      Completed: ({ task }) => task.completedAt,
      Created: ({ task }) => task.createdAt,
      Updated: ({ task }) => task.updatedAt,
      Description: ({ text }) => text,
    }),
    holds: {
      title: true,
      group: true,
      completion: true,
      due: true,
      members: ({ assignees }) => !assignees.some((name) => name.includes(',')),
      labels: true,
      created: true,
      updated: true,
      archived: true,
    },
    maxTitle: 2000,
    maxLabel: 100,
    cleanLabel: withoutCommas,
    maxAssignees: Number.POSITIVE_INFINITY,
    knowsEmail: true,
  },
  pages: new Set(['pages', 'posts', 'events', 'files']),
}

/** An archive of Markdown files whose first folders become collections: https://docs.getoutline.com/s/guide/doc/import-export */
const outline: Target = {
  title: 'Outline',
  pages: new Set(['pages', 'posts', 'tasks', 'events', 'files']),
  maxPageTitle: 100,
}

/** The tools, by the names that `--for` takes. */
export const TARGETS = { jira, linear, github, gitlab, todoist, notion, outline } as const satisfies Readonly<
  Record<string, Target>
>

export type TargetName = keyof typeof TARGETS

export const TARGET_NAMES = Object.keys(TARGETS) as readonly TargetName[] // typed as texts
