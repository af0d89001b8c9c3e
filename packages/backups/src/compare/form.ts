import type { BagFile } from '@collab-etl/bagit'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { OpenedBackup } from '../opened-backup.ts'
import { Peeked } from './order.ts'
import type { DiffRecord, RecordKind, Records } from './record.ts'

/** Whether to compare the pages or posts of a project. */
export type RecordFilter = (pid: string, kind: RecordKind) => boolean

/** Two backups read in a format that both have. Records known to be identical may be left out. */
export interface FormPair {
  readonly form: 'csv' | 'jsonl' | 'markdown'
  /** The files that `records` reads. */
  filesOf(backup: OpenedBackup): Promise<readonly BagFile[]>
  /** Reads the files again with each call. */
  records(backup: OpenedBackup, filter: RecordFilter): AsyncGenerator<DiffRecord, void, undefined>
}

/** Merges pages and posts, each ordered by project and id: by project, pages first. */
export async function* byProject(pages: Records, posts: Records): AsyncGenerator<DiffRecord, void, undefined> {
  await using pageQueue = new Peeked(pages)
  await using postQueue = new Peeked(posts)
  for (;;) {
    const [page, post] = [await pageQueue.head(), await postQueue.head()]
    if (page === null && post === null) return
    const isPage = page !== null && (post === null || compareBytes(page.pid, post.pid) <= 0)
    const next = isPage ? page : post
    if (next) yield next
    if (isPage) pageQueue.take()
    else postQueue.take()
  }
}
