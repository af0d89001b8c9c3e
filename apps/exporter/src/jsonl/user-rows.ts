import { keyOf } from '@collab-etl/documents'
import type { BackupSource, SourceRow } from '../source/backup-source.ts'

/** The rows of all users by their ids: every record embeds some. */
export async function readUserRows(source: BackupSource): Promise<ReadonlyMap<string, SourceRow>> {
  const users = new Map<string, SourceRow>()
  for await (const row of source.rows('users')) users.set(keyOf(row, 'uid'), row)
  return users
}
