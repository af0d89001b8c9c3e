import { UsageError } from '@collab-etl/cli'
import { CHANGED_AT, type FeedPoint } from '@collab-etl/warehouse'
import { isObject, type JsonObject } from './json-file.ts'

/** How far a stream was synced: all changes of a run and of those before it. */
export interface Bookmark {
  readonly point: FeedPoint
  readonly schemaVersion: number
  /** Of the records that were sent. */
  readonly fields: readonly string[]
}

/** The state of the last sync: the bookmark of each stream as it was written. */
export class State {
  readonly #value: JsonObject
  readonly #bookmarks: Record<string, unknown>

  /** @throws UsageError if it is not a state of this tap */
  constructor(value: JsonObject, path: string) {
    const { bookmarks = {} } = value
    if (value['type'] === 'STATE') {
      throw new UsageError(`${path} holds a STATE message: the state is its value alone`)
    }
    if (!isObject(bookmarks) || (value['bookmarks'] === undefined && Object.keys(value).length > 0)) {
      throw new UsageError(`${path} is not a state of tap-collab: it has no object "bookmarks"`)
    }
    this.#value = value
    this.#bookmarks = { ...bookmarks }
    for (const [stream, bookmark] of Object.entries(bookmarks)) {
      if (isObject(bookmark) && bookmarkIn(bookmark) === null) {
        throw new UsageError(`${path}: the bookmark of ${stream} is not one of tap-collab; sync without --state`)
      }
    }
  }

  /** `undefined`: the stream was not synced to its end yet. */
  bookmark(stream: string): Bookmark | undefined {
    const bookmark = Object.hasOwn(this.#bookmarks, stream) ? this.#bookmarks[stream] : undefined
    return isObject(bookmark) ? (bookmarkIn(bookmark) ?? undefined) : undefined
  }

  set(stream: string, { point, schemaVersion, fields }: Bookmark): void {
    this.#bookmarks[stream] = {
      replication_key: CHANGED_AT.name,
      replication_key_value: point.startedAt,
      run_id: point.runId,
      run_finished_at: point.finishedAt,
      schema_version: schemaVersion,
      fields,
    }
  }

  /** As STATE messages have it. */
  toJSON(): JsonObject {
    return { ...this.#value, bookmarks: this.#bookmarks }
  }
}

function bookmarkIn(value: JsonObject): Bookmark | null {
  const { replication_key_value: startedAt, run_id: runId, run_finished_at: finishedAt } = value
  const { schema_version: schemaVersion, fields } = value
  if (typeof startedAt !== 'string' || typeof runId !== 'string' || typeof schemaVersion !== 'number') return null
  if (typeof finishedAt !== 'string' && finishedAt !== null) return null
  if (!Array.isArray(fields) || !fields.every((field) => typeof field === 'string')) return null
  return { point: { runId, startedAt, finishedAt }, schemaVersion, fields }
}
