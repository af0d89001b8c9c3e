import { dayOf, type Target } from '../target.ts'

/** https://docs.gitlab.com/user/project/issues/csv_import/ */
export const gitlab: Target = {
  title: 'GitLab',
  tasks: {
    columns: ['title', 'description', 'due_date'],
    maxTitle: 255,
    maxAssignees: Number.POSITIVE_INFINITY,
    fields: new Set(['due', 'labels']),
    refuses: (task) => (task.archived ? 'archived' : task.completed ? 'completed' : null),
    rows: ({ task, title, text, labels, assignees }) => {
      const names = labels.map((label) => label.replace(/["\s]+/g, ' ').trim()).filter((name) => name !== '')
      const actions = [
        ...(names.length === 0 ? [] : [`/label ${names.map((name) => `~"${name}"`).join(' ')}`]),
        ...(assignees.length === 0
          ? []
          : [`/assign ${assignees.map((name) => `@${name.replace(/^@/, '')}`).join(' ')}`]),
      ]
      // A line that begins with a slash would be a command.
      const safe = text.replace(/^(\s*)\//gm, '$1\\/')
      const parts = [actions.join('\n'), safe].filter((part) => part !== '')
      return [{ title, description: parts.join('\n\n'), due_date: dayOf(task.dueAt) }]
    },
  },
}
