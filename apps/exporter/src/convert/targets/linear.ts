import { byCommas, dayOf, type Target } from '../target.ts'

/** The columns of Linear's own export, which https://github.com/linear/linear-import reads as "Linear (CSV export)". */
export const linear: Target = {
  title: 'Linear',
  tasks: {
    columns: [
      'Title',
      'Description',
      'Status',
      'Priority',
      'Assignee',
      'Labels',
      'Due Date',
      'Created',
      'Updated',
      'Completed',
    ],
    maxTitle: 255,
    maxAssignees: 1,
    knowsEmail: true,
    // Not every importer takes the due date.
    fields: new Set(['group', 'labels', 'state', 'created']),
    rows: ({ task, title, text, group, labels, assignees }) => [
      {
        Title: title,
        Description: text,
        Status: task.completed ? 'Done' : task.archived ? 'Canceled' : (group ?? 'Todo'),
        Priority: 'No priority',
        Assignee: assignees[0],
        Labels: byCommas(labels),
        'Due Date': dayOf(task.dueAt),
        Created: task.createdAt,
        Updated: task.updatedAt,
        Completed: task.completedAt,
      },
    ],
  },
}
