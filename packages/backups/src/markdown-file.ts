import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DamagedBagError } from '@collab-etl/bagit'
import { parse } from 'yaml'

/** A Markdown file of a backup. */
export interface MarkdownFile {
  /** The front matter. */
  readonly about: Readonly<Record<string, unknown>>
  /** The text of a page, or of a post without its comments; without the title that the backup put before it. */
  readonly content: string
  /** The section with the comments of a post; empty without comments. */
  readonly rest: string
}

const OPENING = Buffer.from('---\n')

/**
 * Reads a Markdown file; `path` is relative to the backup.
 * @throws DamagedBagError if it has no front matter
 */
export async function readMarkdownFile(bag: string, path: string): Promise<MarkdownFile> {
  const bytes = await readFile(join(bag, path))
  const end = bytes.indexOf('\n---\n', 3)
  const hasFrontMatter = bytes.subarray(0, 4).equals(OPENING) && end !== -1
  const about: unknown = hasFrontMatter ? frontMatterOf(bytes.subarray(4, end)) : null
  if (!isMapping(about)) {
    throw new DamagedBagError(bag, { kind: 'malformed', path, detail: 'lacks the front matter of collab-export' })
  }
  const heading = typeof about['heading_bytes'] === 'number' ? about['heading_bytes'] : 0
  const body = bytes.subarray(end + '\n---\n'.length + heading)
  const length = typeof about['content_bytes'] === 'number' ? about['content_bytes'] : body.length
  return { about, content: body.subarray(0, length).toString(), rest: body.subarray(length).toString() }
}

function frontMatterOf(bytes: Buffer): unknown {
  try {
    return parse(bytes.toString())
  } catch {
    return null
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
