import { commentsSection, type ShownComment } from './comments.ts'
import { type FrontMatter, frontMatter } from './front-matter.ts'

/** The file of a page: front matter, then its content, unchanged. */
export function pageDocument(about: FrontMatter, content: string): string {
  return frontMatter(about) + content
}

/** The file of a post: front matter, its content, unchanged, then its comments. */
export function postDocument(about: FrontMatter, content: string, comments: readonly ShownComment[]): string {
  const complete = { ...about, contentBytes: Buffer.byteLength(content), comments: comments.length }
  return frontMatter(complete) + content + commentsSection(comments)
}
