import type { Row, SourceRecord } from '@collab-etl/contract/source'
import type { MarkdownFile } from './markdown-file.ts'

/** A record of a backup. */
export interface BackupRecord extends SourceRecord {
  /** Only of Markdown: the part of the file after the text of a page or post. Comments are not parsed. */
  readonly appendix?: {
    readonly closing: string
    readonly rest: string
    /** The number of comments that the front matter states. */
    readonly comments: number
  }
}

/** The record in the file of a page or post, with links as the backup wrote them. Its users have only the names that the file has. */
export function markdownRecord({ about, content, closing, rest }: MarkdownFile, pid: string): BackupRecord {
  const kind = about['kind'] === 'post' ? 'post' : 'page'
  const key = { pid, [`${kind}_id`]: textIn(about['id']) }
  const watchers = [
    ...new Map(
      listIn(about['watchers'])
        .flatMap(personIn)
        .map((user) => [user['uid'], user]),
    ).values(),
  ]
  const [owner] = personIn(about['owner'])
  const texts = about['content_from'] === 'summary' ? { summary: content, content: null } : { summary: null, content }
  const row: Row = {
    ...key,
    ...(kind === 'page' && { parent_id: textIn(about['parent_id']) }),
    name: textIn(about['title']),
    ...texts,
    owner_uid: owner?.['uid'] ?? null,
    extra: null,
    created_at: textIn(about['created_at']),
    updated_at: textIn(about['updated_at']),
  }
  const lists = new Map([
    [`${kind}_watchers`, watchers.map(({ uid }) => ({ ...key, uid, extra: null }))],
    ['users', [...watchers, ...(owner ? [owner] : [])]],
  ])
  const comments = typeof about['comments'] === 'number' ? about['comments'] : 0
  return { table: `${kind}s`, row, lists, appendix: { closing, rest, comments } }
}

/** The row of a user. */
function personIn(value: unknown): Row[] {
  if (typeof value !== 'object' || value === null || !('uid' in value) || typeof value.uid !== 'string') return []
  return [{ uid: value.uid, name: 'name' in value ? textIn(value.name) : null, extra: null }]
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
