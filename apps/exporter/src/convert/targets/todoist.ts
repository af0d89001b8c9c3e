import { dayOf, type Row, type Target, withoutSpaces } from '../target.ts'

/** https://todoist.com/help/articles/import-or-export-a-project-as-a-csv-file-in-todoist-YC8YvN */
export const todoist: Target = {
  title: 'Todoist',
  tasks: {
    columns: 'TYPE CONTENT DESCRIPTION PRIORITY INDENT AUTHOR RESPONSIBLE DATE DATE_LANG TIMEZONE'.split(' '),
    maxTitle: 500,
    maxAssignees: 1,
    fields: new Set(['group', 'due', 'labels', 'comments', 'checklist']),
    refuses: (task) => (task.archived ? 'archived' : task.completed ? 'completed' : null),
    section: (group) => ({ TYPE: 'section', CONTENT: group }),
    rows: ({ task, title, text, labels, assignees, comments }): Row[] => {
      const date = dayOf(task.dueAt)
      const names = labels.map(withoutSpaces).filter((name) => name !== '')
      const content = [title, ...names.map((name) => `@${name}`)].join(' ')
      const own = { TYPE: 'task', CONTENT: content, DESCRIPTION: text, PRIORITY: '4', INDENT: '1' }
      return [
        { ...own, RESPONSIBLE: assignees[0], DATE: date, DATE_LANG: date && 'en' },
        // a note belongs to the task above it
        ...comments.map((comment) => ({ TYPE: 'note', CONTENT: comment.text })),
        ...task.todos
          .filter(({ checked }) => !checked)
          .map(({ name }) => {
            const item = name?.replace(/\s+/g, ' ').trim() || 'Untitled'
            return { TYPE: 'task', CONTENT: item, PRIORITY: '4', INDENT: '2' }
          }),
      ]
    },
  },
}
