import type { ShownComment } from '../markdown/comments.ts'
import { compareBytes } from '../order.ts'
import { type BackupSource, keyOf, type SourceRow, textOf } from '../source/backup-source.ts'
import type { People } from './people.ts'

/** The files attached to a project's comments, by comment: those of posts and those of files. */
export type Attachments = ReadonlyMap<string, readonly SourceRow[]>

export async function attachmentsOf(source: BackupSource, pid: string): Promise<Attachments> {
  const attachments = new Map<string, SourceRow[]>()
  for await (const row of source.rows('comment_files', { pid })) {
    const cid = keyOf(row, 'cid')
    const others = attachments.get(cid)
    if (others) others.push(row)
    else attachments.set(cid, [row])
  }
  return attachments
}

/** Comments in the order of their time; the service promises none. Those without a time come last. */
export function inTimeOrder(comments: readonly SourceRow[]): SourceRow[] {
  const time = (row: SourceRow) => textOf(row, 'created_at') ?? '~'
  return comments.toSorted((a, b) => compareBytes(time(a), time(b)) || compareBytes(keyOf(a, 'cid'), keyOf(b, 'cid')))
}

/** A comment as it is shown, but for its text's links. */
export function shownComment(row: SourceRow, people: People, attachments: Attachments): ShownComment {
  const cid = keyOf(row, 'cid')
  const type = row['type']
  return {
    cid,
    author: people.personOrNone(textOf(row, 'owner_uid')),
    createdAt: textOf(row, 'created_at'),
    text: textOf(row, 'raw_message') ?? textOf(row, 'message') ?? '',
    type: typeof type === 'number' ? type : null,
    attachments: (attachments.get(cid) ?? []).map((file) => ({ fid: keyOf(file, 'fid'), name: textOf(file, 'name') })),
  }
}
