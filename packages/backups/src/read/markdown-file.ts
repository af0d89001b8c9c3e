import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DamagedBagError } from '@collab-etl/bagit'
import { parse } from 'yaml'

/** A Markdown file of a backup. */
export interface MarkdownFile {
  /** The front matter. */
  readonly about: Readonly<Record<string, unknown>>
  /** The text of a page, or of a post without its comments; without the title that the backup put before it. */
  readonly content: string
  /** The lines that close code or HTML that the text of a post may leave open; usually empty. */
  readonly closing: string
  /** The section with the comments of a post; empty without comments. */
  readonly rest: string
}

/** Bytes of a file in which its front matter is looked for, if only that is read. */
const MAX_FRONT_MATTER = 64 * 1024

/** The front matter of a Markdown file, without reading the rest; `null` if it has none, or one of more than 64 KiB. */
export async function readFrontMatter(path: string): Promise<MarkdownFile['about'] | null> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MAX_FRONT_MATTER) })
  return frontMatterIn(buffer.subarray(0, bytesRead))?.about ?? null
}

const OPENING = Buffer.from('---\n')
const CLOSING = '\n---\n'

/** The text between a content and the blank line before its comments. */
const CLOSING_LINES = /^[\s\S]*?(?=\n\n<!-- collab-export: comments -->\n)/

/**
 * Reads a Markdown file; `path` is relative to the backup.
 * @throws DamagedBagError if it has no front matter
 */
export async function readMarkdownFile(bag: string, path: string): Promise<MarkdownFile> {
  const bytes = await readFile(join(bag, path))
  const found = frontMatterIn(bytes)
  if (found === null) {
    throw new DamagedBagError(bag, { kind: 'malformed', path, detail: 'lacks the front matter of collab-export' })
  }
  const { about, end } = found
  const heading = typeof about['heading_bytes'] === 'number' ? about['heading_bytes'] : 0
  const body = bytes.subarray(end + heading)
  const length = typeof about['content_bytes'] === 'number' ? about['content_bytes'] : body.length
  const rest = body.subarray(length).toString()
  const [closing] = CLOSING_LINES.exec(rest) ?? ['']
  return { about, content: body.subarray(0, length).toString(), closing, rest: rest.slice(closing.length) }
}

/** The front matter at the beginning of a file, and where the text after it begins. */
function frontMatterIn(bytes: Buffer): { about: MarkdownFile['about']; end: number } | null {
  const end = bytes.indexOf(CLOSING, 3)
  if (!bytes.subarray(0, 4).equals(OPENING) || end === -1) return null
  try {
    const about: unknown = parse(bytes.subarray(4, end).toString())
    return isMapping(about) ? { about, end: end + CLOSING.length } : null
  } catch {
    return null
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
