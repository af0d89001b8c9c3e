import type { Person } from '../people.ts'
import type { TaskView } from '../views/task.ts'
import { closed } from './closing-line.ts'
import { commentsSection } from './comments.ts'
import { checklist, factList, type TaskFact, type TaskTexts, taskFacts } from './task-section.ts'
import { yamlMapping } from './yaml.ts'

/** What the file of a task shows besides it. */
interface NoteParts {
  readonly pid: string
  /** Title of its task group. */
  readonly group: string | null
  /** Other names, and tags, for Obsidian; missing in trees for other tools. */
  readonly aliases?: readonly string[]
  readonly tags?: readonly string[]
  /** The title as a heading; empty if there is none. */
  readonly heading: string
}

/** The facts that the front matter does not have. */
const FURTHER: ReadonlySet<TaskFact> = new Set(['attachments', 'unread'])

/** The file of a task: front matter, its description, its checklist, and its comments. Dataview takes `due` and `done` as dates. */
export function taskNote(task: TaskView, { description, comments }: TaskTexts, of: NoteParts): string {
  const about = yamlMapping({
    id: task.id,
    pid: of.pid,
    kind: 'task',
    title: task.title ?? '',
    ...(of.aliases && { aliases: of.aliases }),
    ...(of.tags && { tags: of.tags }),
    entry_id: task.groupId,
    group: of.group,
    position: task.position,
    status: task.completed ? 'done' : 'open',
    archived: task.archived,
    due: task.dueAt,
    done: task.completedAt,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    labels: task.labels.map((label) => ({ ...label })),
    assignees: people(task.members),
    watchers: people(task.watchers),
    checklist: task.todos.map((todo) => ({ ...todo })),
    ...(of.heading && { heading_bytes: Buffer.byteLength(of.heading) }),
    content_bytes: Buffer.byteLength(description),
    comments: comments.length,
  })
  const facts = factList(taskFacts(task, of.group).filter(([fact]) => FURTHER.has(fact)))
  const rest = [checklist(task.todos), facts].filter((part) => part !== '')
  const after = rest.map((part) => `\n\n${part}`).join('') + commentsSection(comments)
  return `---\n${about}---\n${of.heading}${after === '' ? description : closed(description) + after}`
}

function people(persons: readonly Person[]): { readonly uid: string; readonly name: string | null }[] {
  return persons.map(({ uid, name }) => ({ uid, name }))
}
