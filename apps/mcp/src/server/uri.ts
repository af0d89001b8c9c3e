import type { RecordRef } from '@collab-etl/warehouse'

/** A record that has a resource, and where its text begins. */
export interface ResourceAddress extends RecordRef {
  readonly kind: 'page' | 'post'
  /** In characters. */
  readonly offset: number
}

const FORM = /^collab:\/\/projects\/([^/?#]+)\/(page|post)s\/([^/?#]+)(?:\?offset=(\d{1,9}))?$/

/** The address of a record: `collab://projects/PID/pages/PAGE_ID`. */
export function uriOf({ kind, pid, id }: RecordRef, offset = 0): string {
  return `collab://projects/${encoded(pid)}/${kind}s/${encoded(id)}${offset === 0 ? '' : `?offset=${offset}`}`
}

/** The record of an address; `null` for any other text. */
export function parseUri(uri: string): ResourceAddress | null {
  const [, pid, kind, id, offset = '0'] = FORM.exec(uri) ?? []
  if (pid === undefined || id === undefined) return null
  try {
    return {
      kind: kind === 'page' ? 'page' : 'post',
      pid: decodeURIComponent(pid),
      id: decodeURIComponent(id),
      offset: Number(offset),
    }
  } catch {
    return null
  }
}

/** Ids come from a database, which has no lone surrogates; a backup may. Dots alone would be removed as steps of a path. */
function encoded(id: string): string {
  const text = encodeURIComponent(id.toWellFormed())
  return /^\.{1,2}$/.test(text) ? text.replaceAll('.', '%2E') : text
}
