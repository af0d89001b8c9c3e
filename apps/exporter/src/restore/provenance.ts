import { EPOCH } from '@collab-etl/contract/timestamp'
import { type BackupRecord, listIn, textIn } from './item.ts'

/** What the interface cannot carry of a task, as the text of a comment; the same task gives the same text. */
export function provenanceOf(task: BackupRecord): string {
  const lines: string[] = []
  const tell = (what: string, value: string | null) => {
    if (value !== null && value !== '') lines.push(`- ${what}: ${value}`)
  }
  const time = (field: string) => {
    const found = textIn(task, field)
    return found === EPOCH ? null : found
  }
  tell('task', textIn(task, 'tid'))
  tell('project', projectOf(task))
  tell('group', textIn(task, 'entry_name'))
  tell('created', time('created_at'))
  tell('updated', time('updated_at'))
  tell('due', time('expire_date'))
  tell('completed', task['completed'] === 1 ? (time('completed_date') ?? 'yes') : null)
  tell('members', peopleIn(task, 'members'))
  tell('watchers', peopleIn(task, 'watchers'))
  tell('labels', listIn(task, 'labels').map(labelText).join(', '))
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

/** A line break in a name would begin another item. */
function oneLine(record: BackupRecord, field: string): string {
  return (textIn(record, field) ?? '').replaceAll(/\s+/g, ' ').trim()
}
