import { commentsSection, type ShownComment } from './comments.ts'
import { type FrontMatter, frontMatter } from './front-matter.ts'

/** A page's file: front matter, then its content to the byte. */
export function pageDocument(about: FrontMatter, content: string): string {
  return frontMatter(about) + content
}

/** A post's file: front matter, its content to the byte, then its comments. */
export function postDocument(about: FrontMatter, content: string, comments: readonly ShownComment[]): string {
  const complete = { ...about, contentBytes: Buffer.byteLength(content), comments: comments.length }
  return frontMatter(complete) + content + commentsSection(comments)
}
