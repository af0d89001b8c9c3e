import type { RecordRef } from '@collab-etl/warehouse'
import {
  ErrorCode,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  McpError,
  type ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js'
import { fitItems, shortened } from '../bounds.ts'
import type { Answers } from '../source/answers.ts'
import { shownPage, shownPost, TEXT_CHARACTERS } from './records.ts'
import { parseUri, uriOf } from './uri.ts'

const LISTED = 100
const LIST_BYTES = 90_000

/** The forms of addresses. */
export const TEMPLATES: ListResourceTemplatesResult = {
  resourceTemplates: (['page', 'post'] as const).map((kind) => ({
    name: `${kind}s`,
    title: kind === 'page' ? 'Page of a project' : 'Post of a project',
    uriTemplate: `collab://projects/{pid}/${kind}s/{${kind}_id}{?offset}`,
    description: `The text of a ${kind} as Markdown, and what is known of it as JSON. A long text continues at ?offset=NEXT_OFFSET.`,
    mimeType: 'text/markdown',
  })),
}

/** Pages, then posts; the cursor names the last one that was listed. */
export async function listResources(source: Answers, cursor: string | undefined): Promise<ListResourcesResult> {
  const after = cursor === undefined ? null : afterCursor(cursor)
  const { items, hasMore } = await source.read((lookup) => lookup.documents(after, LISTED))
  const resources = items.map((ref) => ({
    uri: uriOf(ref),
    name: shortened(ref.name) || ref.id,
    description: ref.kind,
    mimeType: 'text/markdown',
  }))
  const shown = fitItems(resources, LIST_BYTES)
  const last = items[shown.length - 1]
  const isPart = hasMore || shown.length < items.length
  return { resources: [...shown], ...(isPart && last && { nextCursor: cursorOf(last) }) }
}

/** The text, then everything else that `read_page` or `read_post` returns. */
export async function readResource(source: Answers, uri: string): Promise<ReadResourceResult> {
  const address = parseUri(uri)
  if (address === null) throw new McpError(ErrorCode.InvalidParams, 'this is not the address of a page or post')
  const { kind, pid, id, offset } = address
  const part = { offset, limit: TEXT_CHARACTERS }
  const shown = await source.read(async (lookup) => {
    if (kind === 'page') {
      const page = await lookup.page(pid, id, part)
      return page && (await shownPage(lookup, page))
    }
    const post = await lookup.post(pid, id, part, { offset: 0, limit: 50 })
    return post && (await shownPost(lookup, post, 0))
  })
  if (shown === null) throw new McpError(NOT_FOUND, `this ${kind} does not exist here`)
  const { content, ...rest } = shown
  const { text, ...place } = content as { readonly text: string; readonly next_offset?: number } // from `shownText`
  const next = place.next_offset === undefined ? {} : { next: uriOf({ kind, pid, id }, place.next_offset) }
  return {
    contents: [
      { uri, mimeType: 'text/markdown', text },
      {
        uri: `${uri}#record`,
        mimeType: 'application/json',
        text: JSON.stringify({ ...rest, content: { ...place, ...next } }),
      },
    ],
  }
}

/** The protocol's code for a resource that does not exist. */
const NOT_FOUND = -32_002

function cursorOf({ kind, pid, id }: RecordRef): string {
  return Buffer.from(JSON.stringify([kind, pid, id])).toString('base64url')
}

function afterCursor(cursor: string): RecordRef {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const [kind, pid, id] = Array.isArray(value) ? value : []
    if ((kind === 'page' || kind === 'post') && typeof pid === 'string' && typeof id === 'string')
      return { kind, pid, id }
  } catch {
    // not one of ours
  }
  throw new McpError(ErrorCode.InvalidParams, 'this cursor is not one of an earlier result')
}
