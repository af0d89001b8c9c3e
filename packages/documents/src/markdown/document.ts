import type { Person } from '../people.ts'
import type { ShownComment } from '../views/comments.ts'
import { closed } from './closing-line.ts'
import { commentsSection } from './comments.ts'
import { type YamlMap, yamlMapping } from './yaml.ts'

/** The front matter of a page or post. */
export interface FrontMatter {
  readonly id: string
  readonly pid: string
  readonly kind: 'page' | 'post'
  readonly title: string | null
  /** Other names by which Obsidian finds the file; missing if there are none. */
  readonly aliases?: readonly string[]
  /** For Obsidian; missing in trees for other tools. */
  readonly tags?: readonly string[]
  /** What Docusaurus shows in the sidebar; missing where that is the title. */
  readonly sidebarLabel?: string
  readonly parentId: string | null
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly owner: Person | null
  readonly watchers: readonly Person[]
  /** The title as a heading, which precedes the content; empty if there is none. */
  readonly heading?: string
  /** Set only if the summary follows because there is no content. */
  readonly contentFrom?: 'summary'
  /** Posts: how many bytes of content follow before their comments. */
  readonly contentBytes?: number
  /** Posts: how many comments follow. */
  readonly comments?: number
}

/** The front matter with its fences, and the heading. The content follows directly. */
function frontMatter(about: FrontMatter): string {
  const map: YamlMap = {
    id: about.id,
    pid: about.pid,
    kind: about.kind,
    // Docusaurus does not accept null as a title.
    title: about.title ?? '',
    ...(about.aliases && { aliases: about.aliases }),
    ...(about.tags && { tags: about.tags }),
    // Docusaurus translates a label by its key.
    ...(about.sidebarLabel && { sidebar_label: about.sidebarLabel, sidebar_key: `${about.pid}/${about.id}` }),
    parent_id: about.parentId,
    created_at: about.createdAt,
    updated_at: about.updatedAt,
    owner: about.owner && { ...about.owner },
    watchers: about.watchers.map((person) => ({ ...person })),
    ...(about.heading && { heading_bytes: Buffer.byteLength(about.heading) }),
    ...(about.contentFrom && { content_from: about.contentFrom }),
    ...(about.contentBytes !== undefined && { content_bytes: about.contentBytes }),
    ...(about.comments !== undefined && { comments: about.comments }),
  }
  return `---\n${yamlMapping(map)}---\n${about.heading ?? ''}`
}

/** The file of a page: front matter, the heading if there is one, then its content, unchanged. */
export function pageDocument(about: FrontMatter, content: string): string {
  return frontMatter(about) + content
}

/** The file of a post: front matter, the heading if there is one, its content, unchanged, then its comments, which no content may swallow. */
export function postDocument(about: FrontMatter, content: string, comments: readonly ShownComment[]): string {
  const complete = { ...about, contentBytes: Buffer.byteLength(content), comments: comments.length }
  return frontMatter(complete) + (comments.length === 0 ? content : closed(content) + commentsSection(comments))
}
