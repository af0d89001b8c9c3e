import { isAskableId } from '@collab-etl/contract/id'
import type { RecordKinds } from '@collab-etl/contract/streams'
import type { Cell } from '../convert/cell.ts'
import { storable, storedId } from '../convert/text.ts'

/**
 * A row of `known_posts` or `known_files`: pid, id, source. The project may be another than the one in which the id was discovered. `null`
 * for an id that cannot be requested.
 */
export function knownCells(record: RecordKinds['known_post'] | RecordKinds['known_file']): Cell[] | null {
  const id = 'fid' in record ? record.fid : record.post_id
  return isAskableId(id) ? [storedId(record.pid), id, storable(record.source).text] : null
}
