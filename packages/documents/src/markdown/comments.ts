import type { Person } from './front-matter.ts'
import { inlineCode, inlineText } from './inline.ts'

export interface Attachment {
  readonly fid: string
  readonly name: string | null
}

/** A comment as it is shown under its post. */
export interface ShownComment {
  readonly cid: string
  readonly author: Person | null
  readonly createdAt: string | null
  /** Markdown. */
  readonly text: string
  /** 1 = text, 2 = emotion, 3 = audio (docs/service-api.md#comment). */
  readonly type: number | null
  readonly attachments: readonly Attachment[]
}

/** The line that ends a post's content; the content's own last byte is before the line feed before it. */
export const COMMENTS_MARKER = '<!-- collab-export: comments -->'

const TYPE_NOTES: Readonly<Record<number, string>> = { 2: ' (emotion)', 3: ' (audio)' }

/** Everything that follows a post's content; nothing where there are no comments. */
export function commentsSection(comments: readonly ShownComment[]): string {
  if (comments.length === 0) return ''
  return `\n\n${COMMENTS_MARKER}\n\n## Comments (${comments.length})\n${comments.map(shown).join('')}`
}

function shown(comment: ShownComment): string {
  const author = comment.author?.name ?? comment.author?.uid ?? 'unknown'
  const note = TYPE_NOTES[comment.type ?? 1] ?? ''
  const heading = `### ${inlineText(author)}, ${inlineText(comment.createdAt ?? 'no date')}${note}`
  const parts = [marker(comment.cid), heading, ...(comment.text === '' ? [] : [comment.text])]
  if (comment.attachments.length > 0) parts.push(attachmentList(comment.attachments))
  return `\n${parts.join('\n\n')}\n`
}

/** Says where a comment begins, and which it is. */
function marker(cid: string): string {
  return `<!-- collab-export: comment ${encodeURIComponent(cid.toWellFormed()).replaceAll('-', '%2D')} -->`
}

function attachmentList(attachments: readonly Attachment[]): string {
  const items = attachments.map(({ fid, name }) => `- ${inlineText(name ?? 'unnamed file')} (file ${inlineCode(fid)})`)
  return ['Attachments:', '', ...items].join('\n')
}
