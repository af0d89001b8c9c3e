import type { ShownComment } from '../views/comments.ts'
import type { FileView } from '../views/file.ts'
import { readableSize } from '../views/values.ts'
import { inlineCode, inlineText } from './inline.ts'
import { personText } from './person-text.ts'
import { quoted } from './quoted.ts'

/** What a list says about a file below its heading. `description` and the texts of `comments` have their links rewritten. */
export function fileSection(file: FileView, description: string, comments: readonly ShownComment[]): string {
  const facts = [
    ...(file.bytes === null || file.isFolder ? [] : [`Size: ${sizeText(file.bytes)}`]),
    ...(file.owner === null ? [] : [`Uploaded by: ${personText(file.owner)}`]),
    ...(file.createdAt === null ? [] : [`Created: ${inlineText(file.createdAt)}`]),
    ...(file.updatedAt === null ? [] : [`Updated: ${inlineText(file.updatedAt)}`]),
    ...(file.path ? [`Path: ${inlineCode(file.path)}`] : []),
    `${file.isFolder ? 'Folder' : 'File'}: ${inlineCode(file.id)}`,
  ]
  const parts = [
    facts.map((fact) => `- ${fact}\n`).join(''),
    quoted(description),
    ...comments.map((comment) => commentText(comment)),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

function sizeText(bytes: bigint): string {
  return bytes < 1000n ? `${bytes} bytes` : `${readableSize(bytes)} (${bytes} bytes)`
}

/** A comment in a list. Its text has its links rewritten. @param shown makes of it what cannot swallow the text after it */
export function commentText(
  { author, createdAt, text, attachments }: ShownComment,
  shown: (text: string) => string = quoted,
): string {
  const by = author === null ? 'unknown' : personText(author)
  const files = attachments.map(
    ({ fid, name }) => `- Attached: ${inlineText(name ?? '') || 'Untitled'} (${inlineCode(fid)})\n`,
  )
  const parts = [`Comment of ${by}, ${inlineText(createdAt ?? 'no date')}:\n`, shown(text), files.join('')]
  return parts.filter((part) => part !== '').join('\n')
}
