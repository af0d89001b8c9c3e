import { childrenByTitle, depthFirst } from '../tree/children.ts'
import type { Places } from '../tree/places.ts'
import { inlineCode, inlineText } from './inline.ts'
import { fileAddress, type LinkStyle } from './links.ts'

interface ProjectLabel {
  readonly name: string
  readonly description: string | null
}

interface IndexedProject {
  readonly pid: string
  readonly name: string | null
  readonly description: string | null
  readonly archived: boolean | null
  readonly labels: readonly ProjectLabel[]
  readonly pages: Places
  readonly posts: Places
  readonly linkStyle: LinkStyle
}

/** The README.md of a project in pieces: its description, its pages as a tree, its posts. */
export function* projectIndex(project: IndexedProject): Generator<string> {
  yield `# ${titleOf(project.name)}\n\n`
  yield* description(project.description)
  yield `- Project: ${inlineCode(project.pid)}\n`
  if (project.archived) yield '- Archived\n'
  if (project.labels.length > 0) yield `- Labels: ${project.labels.map(labelText).join(', ')}\n`
  yield `\n## Pages (${project.pages.heads.length})\n`
  yield* tree(project.pages, project.linkStyle)
  yield `\n## Posts (${project.posts.heads.length})\n`
  yield* tree(project.posts, project.linkStyle)
}

function* description(text: string | null): Generator<string> {
  const lines = (text ?? '').split(/\r\n|\r|\n/)
  if (lines.every((line) => line.trim() === '')) return
  for (const line of lines) yield `> ${inlineText(line)}\n`.replace(/ +\n$/, '\n')
  yield '\n'
}

function labelText({ name, description }: ProjectLabel): string {
  return description ? `${inlineText(name)} (${inlineText(description)})` : inlineText(name)
}

/** A nested list, siblings by title. */
function* tree(places: Places, style: LinkStyle): Generator<string> {
  if (places.heads.length > 0) yield '\n'
  for (const { index, depth } of depthFirst(childrenByTitle(places))) {
    yield `${'  '.repeat(depth)}- ${entry(places, index, style)}\n`
  }
}

function entry(places: Places, index: number, style: LinkStyle): string {
  const { title = null, updatedAt = null } = places.heads[index] ?? {}
  return `[${titleOf(title)}](${fileAddress('README.md', places.pathAt(index), style)})${updatedAt ? `, updated ${inlineText(updatedAt)}` : ''}`
}

function titleOf(title: string | null): string {
  return inlineText(title ?? '') || 'Untitled'
}

export interface ListedProject {
  readonly name: string | null
  /** Directory of the project, relative to that of the index. */
  readonly folder: string
  readonly pages: number
  readonly posts: number
}

/** The README.md of the backup in pieces: a list of the projects, each linked to its own README.md. */
export function* backupIndex(projects: readonly ListedProject[], style: LinkStyle): Generator<string> {
  yield `# Projects (${projects.length})\n`
  if (projects.length > 0) yield '\n'
  for (const { name, folder, pages, posts } of projects) {
    const title = inlineText(name ?? '') || 'Untitled'
    yield `- [${title}](${fileAddress('README.md', `${folder}/README.md`, style)}), pages: ${pages}, posts: ${posts}\n`
  }
}
