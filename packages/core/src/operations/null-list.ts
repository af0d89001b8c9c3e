import type { RecordLoss } from '@collab-etl/contract/streams'
import { CollabError } from '../errors/collab-error.ts'

/** An answer of `null` in place of a list, which is then read as empty. */
export const NULL_LIST: RecordLoss = { recordKey: '', field: '', kind: 'null_list', original: 'null' }

/** The first `null` in place of a list: a gateway may have sent it once, so the list is requested again. */
export class NullListError extends CollabError {
  override readonly name = 'NullListError'
  readonly errorCode = 'WRONG_TYPE'

  constructor() {
    super('null in place of a list')
  }
}
