import type { RecordKinds } from '@collab-etl/core'
import type { Cell } from '../tables/table.ts'
import { storable } from './text.ts'

/** A row of `known_posts` or `known_files`: pid, id, source. The project may be another than the one it was found in. */
export function knownCells(record: RecordKinds['known_post'] | RecordKinds['known_file']): Cell[] {
  const id = 'fid' in record ? record.fid : record.post_id
  return [storable(record.pid).text, storable(id).text, storable(record.source).text]
}
