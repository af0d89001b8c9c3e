import { inlineText } from './inline.ts'
import { fileAddress, type LinkStyle } from './links.ts'

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
