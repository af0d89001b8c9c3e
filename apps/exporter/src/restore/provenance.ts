import { EPOCH } from '@collab-etl/contract/timestamp'
import { type BackupRecord, listIn, textIn } from './item.ts'

/** The attributes of a task that cannot be created, as the text of a comment. The text depends only on the task. */
export function provenanceOf(task: BackupRecord): string {
  const lines: string[] = []
  const add = (what: string, value: string | null) => {
    if (value !== null && value !== '') lines.push(`- ${what}: ${value}`)
  }
  const time = (field: string) => {
    const found = textIn(task, field)
    return found === EPOCH ? null : found
  }
  add('task', textIn(task, 'tid'))
  add('project', projectOf(task))
  add('group', textIn(task, 'entry_name'))
  add('created', time('created_at'))
  add('updated', time('updated_at'))
  add('due', time('expire_date'))
  add('completed', task['completed'] === 1 ? (time('completed_date') ?? 'yes') : null)
  add('members', peopleIn(task, 'members'))
  add('watchers', peopleIn(task, 'watchers'))
  add('labels', listIn(task, 'labels').map(labelText).join(', '))
  const todos = listIn(task, 'todos').map(
    (todo) => `  - [${todo['checked'] === 1 ? 'x' : ' '}] ${oneLine(todo, 'name')}`,
  )
  if (todos.length > 0) lines.push('- checklist:', ...todos)
  return ['Restored from a backup. What the task was there:', '', ...lines].join('\n')
}

function projectOf(task: BackupRecord): string | null {
  const { project } = task
  const name = typeof project === 'object' && project !== null && 'name' in project ? project.name : null
  const pid = textIn(task, 'pid')
  return typeof name === 'string' && name !== '' ? `${name} (${pid})` : pid
}

function peopleIn(task: BackupRecord, field: string): string {
  return listIn(task, field)
    .map((user) => `${textIn(user, 'name') || textIn(user, 'display_name') || 'unknown'} (${textIn(user, 'uid')})`)
    .join(', ')
}

function labelText(label: BackupRecord): string {
  const description = oneLine(label, 'desc')
  return description === '' ? oneLine(label, 'name') : `${oneLine(label, 'name')} (${description})`
}

/** A line break in a name would start another list item. */
function oneLine(record: BackupRecord, field: string): string {
  return (textIn(record, field) ?? '').replaceAll(/\s+/g, ' ').trim()
}
