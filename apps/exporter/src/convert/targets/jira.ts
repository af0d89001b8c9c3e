import { dayOf, secondOf, type Target, withoutSpaces } from '../target.ts'

/** https://support.atlassian.com/jira-cloud-administration/docs/import-data-from-a-csv-file/ */
export const jira: Target = {
  title: 'Jira',
  tasks: {
    columns: [
      'Summary',
      'Issue Type',
      'Status',
      'Assignee',
      'Due Date',
      'Date Created',
      'Date Modified',
      'Description',
      'Labels',
      'Comment',
    ],
    maxTitle: 255,
    maxAssignees: 1,
    knowsEmail: true,
    fields: new Set(['group', 'due', 'created', 'updated', 'labels', 'comments']),
    rows: ({ task, title, text, group, labels, assignees, comments }) => [
      {
        Summary: title,
        'Issue Type': 'Task',
        Status: task.completed || task.archived ? 'Done' : (group ?? 'To Do'),
        Assignee: assignees[0],
        'Due Date': dayOf(task.dueAt)?.concat(' 00:00:00'),
        'Date Created': secondOf(task.createdAt),
        'Date Modified': secondOf(task.updatedAt),
        Description: text,
        Labels: labels.map(withoutSpaces),
        Comment: comments.map(({ createdAt, account, text: said }) =>
          [secondOf(createdAt) ?? '', account ?? '', said].join(';'),
        ),
      },
    ],
  },
}
