import type { Comment, Received } from '@collab-etl/contract'
import type { Cell } from '../convert/cell.ts'
import { LEFT_OUT } from '../convert/cell.ts'
import type { Table } from '../convert/table.ts'
import { commentFiles } from '../tables/comments.ts'
import type { RowWriter } from './row-writer.ts'

/** Writes a comment into `table`, under the post or file whose id is `parent`, and the files attached to it. */
export function commentRows(rows: RowWriter, table: Table, parent: string, comment: Received<typeof Comment>): void {
  const cells = rows.write(table, [rows.pid, parent], comment, comment.extra)
  const kind = table.name === 'post_comments' ? 'post' : 'file'
  const key = [rows.pid, kind, ...cells.slice(1, table.key.length)]
  // an unknown list: the stored values of these files stay
  const unknown: Cell = rows.isUnknownList('files') ? LEFT_OUT : null
  const guard = rows.newList()
  for (const [index, file] of comment.files.entries()) {
    rows.within('files', index)
    const fid = rows.key(file.fid, 'fid')
    if (!guard.isNew(fid, file)) continue
    rows.write(commentFiles, [...key, fid], file, rows.withSizeText(rows.withOtherPid(file.extra, file.pid), file.size))
  }
  const bare = commentFiles.columns.slice(commentFiles.key.length).map(() => unknown)
  for (const [index, sent] of comment.fids.entries()) {
    rows.within('fids', index)
    if (sent === '') {
      rows.lose('', 'unkeyed', sent)
      continue
    }
    const fid = rows.key(sent, '')
    // most are in both lists, and a second mention adds nothing
    if (!guard.has(fid)) rows.row(commentFiles, [...key, guard.add(fid), ...bare, unknown])
  }
  rows.within('')
}
