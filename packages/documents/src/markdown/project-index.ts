import type { BackupSummary } from '../format.ts'
import { childrenByTitle, depthFirst } from '../tree/children.ts'
import type { Places } from '../tree/places.ts'
import type { MemberView } from '../views/member.ts'
import type { Label } from '../views/task.ts'
import { inlineCode, inlineText } from './inline.ts'
import { fileLink, type LinkStyle } from './links.ts'
import { personText } from './person-text.ts'
import { tagsOf } from './tags.ts'
import { TASK_FOLDER, type TaskFile } from './task-files.ts'
import { labelText, titleText } from './task-section.ts'
import { yamlMapping } from './yaml.ts'

/** What a project has of the kinds that are lists; those that the backup does not hold are missing. */
export interface ListedKinds {
  readonly tasks?: readonly TaskFile[]
  /** Titles of task groups without tasks. */
  readonly emptyGroups?: readonly (string | null)[]
  readonly events?: number
  readonly files?: number
  readonly members: readonly MemberView[]
}

interface IndexedProject {
  readonly pid: string
  readonly name: string | null
  readonly description: string | null
  readonly archived: boolean | null
  readonly labels: readonly Label[]
  readonly pages: Places
  readonly posts: Places
  readonly kinds: ListedKinds
  /** Its directory, relative to that of the Markdown tree. */
  readonly folder: string
  readonly linkStyle: LinkStyle
  /** Whether Obsidian is to find the file by the name of the project. */
  readonly isForNotes: boolean
}

/** The README.md of a project in pieces: its description, its pages as a tree, its posts, its lists. */
export function* projectIndex(project: IndexedProject): Generator<string> {
  if (project.isForNotes) {
    const { pid, name, labels } = project
    const tags = tagsOf(
      'project',
      labels.map((label) => label.name),
    )
    const about = { id: pid, pid, kind: 'project', title: name ?? '', ...(name?.trim() && { aliases: [name] }), tags }
    yield `---\n${yamlMapping(about)}---\n`
  }
  yield `# ${titleText(project.name)}\n\n`
  yield* description(project.description)
  yield `- Project: ${inlineCode(project.pid)}\n`
  if (project.archived) yield '- Archived\n'
  if (project.labels.length > 0) yield `- Labels: ${project.labels.map(labelText).join(', ')}\n`
  yield `\n## Pages (${project.pages.count})\n`
  yield* tree(project.pages, project)
  yield `\n## Posts (${project.posts.count})\n`
  yield* tree(project.posts, project)
  yield* lists(project)
}

type Linking = Pick<IndexedProject, 'folder' | 'linkStyle'>

/** A link from the index to a file of the project. */
function linkTo(title: string, path: string, { folder, linkStyle }: Linking): string {
  return fileLink(title, `${folder}/README.md`, `${folder}/${path}`, linkStyle)
}

function* lists(project: IndexedProject): Generator<string> {
  const { tasks, emptyGroups = [], events, files, members } = project.kinds
  if (tasks !== undefined) yield `\n## Tasks (${countOf(tasks)})\n${tasks.length + emptyGroups.length > 0 ? '\n' : ''}`
  for (const { name, title, tasks: count, done } of tasks ?? []) {
    yield `- ${linkTo(titleText(title), `${TASK_FOLDER}/${name}.md`, project)}, tasks: ${count}, done: ${done}\n`
  }
  for (const title of emptyGroups) yield `- ${titleText(title)}, tasks: 0\n`
  if (events !== undefined) yield `\n## Events (${events})\n`
  if (events) yield `\n- ${linkTo('All events', 'events.md', project)}\n`
  if (files !== undefined) yield `\n## Files (${files})\n`
  if (files) yield `\n- ${linkTo('All files', 'files.md', project)}\n`
  if (members.length > 0) yield `\n## Members (${members.length})\n\n`
  for (const { person, role, joinedAt } of members) {
    const facts = [personText(person), ...(role ? [role] : []), ...(joinedAt ? [`joined ${inlineText(joinedAt)}`] : [])]
    yield `- ${facts.join(', ')}\n`
  }
}

/** The number of tasks in all of a project's files. */
export function countOf(files: readonly TaskFile[]): number {
  return files.reduce((sum, { tasks }) => sum + tasks, 0)
}

function* description(text: string | null): Generator<string> {
  const lines = (text ?? '').split(/\r\n|\r|\n/)
  if (lines.every((line) => line.trim() === '')) return
  for (const line of lines) yield `> ${inlineText(line)}\n`.replace(/ +\n$/, '\n')
  yield '\n'
}

/** A nested list, siblings by title. */
function* tree(places: Places, of: Linking): Generator<string> {
  if (places.count > 0) yield '\n'
  for (const { index, depth } of depthFirst(childrenByTitle(places))) {
    yield `${'  '.repeat(depth)}- ${entry(places, index, of)}\n`
  }
}

function entry(places: Places, index: number, of: Linking): string {
  const [title, updatedAt] = [places.titleAt(index), places.updatedAt(index)]
  const link = linkTo(titleText(title), places.pathAt(index), of)
  return `${link}${updatedAt ? `, updated ${inlineText(updatedAt)}` : ''}`
}

export interface ListedProject {
  readonly name: string | null
  /** Directory of the project, relative to that of the index. */
  readonly folder: string
  readonly pages: number
  readonly posts: number
  /** Missing where the backup does not hold them, as the following ones. */
  readonly tasks?: number
  readonly events?: number
  readonly files?: number
}

const COUNTED = ['pages', 'posts', 'tasks', 'events', 'files'] as const

/**
 * The README.md of the backup in pieces: a list of the projects, each linked to its own README.md.
 * @param isForCopy whether the tree is for another tool: it is copied without the report, which is beside its folder
 */
export function* backupIndex(
  projects: readonly ListedProject[],
  style: LinkStyle,
  isForCopy: boolean,
  summary?: BackupSummary,
): Generator<string> {
  yield `# Projects (${projects.length})\n`
  const report = isForCopy ? '' : ` [Report](../${summary?.report})`
  if (summary) yield `\n${inlineText(summary.text)}${report}\n`
  if (projects.length > 0) yield '\n'
  for (const project of projects) {
    const counts = COUNTED.filter((kind) => project[kind] !== undefined).map((kind) => `${kind}: ${project[kind]}`)
    const link = fileLink(titleText(project.name), 'README.md', `${project.folder}/README.md`, style)
    yield `- ${link}, ${counts.join(', ')}\n`
  }
}
