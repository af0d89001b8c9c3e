import type { Attachment, ShownComment } from '../views/comments.ts'
import { closed } from './closing-line.ts'
import { inlineCode, inlineText } from './inline.ts'

/** The line between a post's content and its comments, after a blank line. */
export const COMMENTS_MARKER = '<!-- collab-export: comments -->'

const TYPE_NOTES: Readonly<Record<number, string>> = { 2: ' (emotion)', 3: ' (audio)' }

/** The text that follows a post's content; empty if the post has no comments. */
export function commentsSection(comments: readonly ShownComment[]): string {
  if (comments.length === 0) return ''
  return `\n\n${COMMENTS_MARKER}\n\n## Comments (${comments.length})\n${comments.map(shown).join('')}`
}

function shown(comment: ShownComment): string {
  const author = comment.author?.name ?? comment.author?.uid ?? 'unknown'
  const note = TYPE_NOTES[comment.type ?? 1] ?? ''
  const heading = `### ${inlineText(author)}, ${inlineText(comment.createdAt ?? 'no date')}${note}`
  const parts = [marker(comment.cid), heading, ...(comment.text === '' ? [] : [closed(comment.text)])]
  if (comment.attachments.length > 0) parts.push(attachmentList(comment.attachments))
  return `\n${parts.join('\n\n')}\n`
}

/** The line that marks the start of a comment and holds its id. */
function marker(cid: string): string {
  return `<!-- collab-export: comment ${encodeURIComponent(cid.toWellFormed()).replaceAll('-', '%2D')} -->`
}

function attachmentList(attachments: readonly Attachment[]): string {
  return ['Attachments:', '', ...attachments.map((file) => `- ${attachmentText(file)}`)].join('\n')
}

/** The name of an attached file, and its id. */
export function attachmentText({ fid, name }: Attachment): string {
  return `${inlineText(name ?? 'unnamed file')} (file ${inlineCode(fid)})`
}
