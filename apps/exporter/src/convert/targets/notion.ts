import { byCommas, type Target } from '../target.ts'

/** Databases from CSV, and pages from an archive of Markdown files: https://www.notion.com/help/import-data-into-notion */
export const notion: Target = {
  title: 'Notion',
  tasks: {
    columns: [
      'Name',
      'Group',
      'Done',
      'Archived',
      'Assignees',
      'Labels',
      'Due',
      'Completed',
      'Created',
      'Updated',
      'Description',
    ],
    maxTitle: 2000,
    maxAssignees: Number.POSITIVE_INFINITY,
    knowsEmail: true,
    fields: new Set(['group', 'state', 'due', 'labels', 'created', 'updated', 'archived']),
    rows: ({ task, title, text, group, labels, assignees }) => [
      {
        Name: title,
        Group: group,
        Done: task.completed ? 'Yes' : 'No',
        Archived: task.archived ? 'Yes' : 'No',
        // a comma ends an item of a list
        Assignees: assignees.join(', '),
        Labels: byCommas(labels),
        Due: task.dueAt,
        Completed: task.completedAt,
        Created: task.createdAt,
        Updated: task.updatedAt,
        Description: text,
      },
    ],
  },
  pages: new Set(['pages', 'posts', 'events', 'files']),
}
