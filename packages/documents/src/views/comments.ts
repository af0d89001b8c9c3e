import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { SourceRecord } from '@collab-etl/contract/source'
import { listOf } from '../format.ts'
import type { People, Person } from '../people.ts'
import { keyOf, type Row, textOf } from '../row.ts'

/** A file attached to a comment. */
export interface Attachment {
  readonly fid: string
  readonly name: string | null
}

/** A comment as it is shown under its post, file or task. */
export interface ShownComment {
  readonly cid: string
  readonly author: Person | null
  readonly createdAt: string | null
  /** Markdown. */
  readonly text: string
  /** 1 = text, 2 = emotion, 3 = audio (docs/dev/service-api.md#comment). */
  readonly type: number | null
  readonly attachments: readonly Attachment[]
}

/** The comments of a post, file or task by their time, which the service does not promise. Those without a time come last. */
export function commentsOf(
  record: SourceRecord,
  people: People,
  table: 'post_comments' | 'file_comments' | 'task_comments' = 'post_comments',
): ShownComment[] {
  const time = (row: Row) => textOf(row, 'created_at') ?? '~'
  const rows = listOf(record, table).toSorted(
    (a, b) => compareBytes(time(a), time(b)) || compareBytes(keyOf(a, 'cid'), keyOf(b, 'cid')),
  )
  return rows.map((row) => shownComment(row, record, people))
}

/** The files attached to a comment: rows of `comment_files`. Comment ids are unique only within one. */
export function attachedTo(comment: Row, record: SourceRecord): readonly Row[] {
  const cid = keyOf(comment, 'cid')
  return listOf(record, 'comment_files').filter((file) => keyOf(file, 'cid') === cid)
}

function shownComment(row: Row, record: SourceRecord, people: People): ShownComment {
  const type = row['type']
  return {
    cid: keyOf(row, 'cid'),
    author: people.personOrNone(textOf(row, 'owner_uid')),
    createdAt: textOf(row, 'created_at'),
    text: textOf(row, 'raw_message') ?? textOf(row, 'message') ?? '',
    type: typeof type === 'number' ? type : null,
    attachments: attachedTo(row, record).map((file) => ({ fid: keyOf(file, 'fid'), name: textOf(file, 'name') })),
  }
}
