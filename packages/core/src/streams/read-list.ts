import type { StreamBatch } from '@collab-etl/contract/streams'
import type { ServiceFindings } from '../findings.ts'
import type { CallOptions, RecordBatch } from '../operations/results.ts'
import { elementCount } from '../walk/collect.ts'
import { POSSIBLY_CAPPED, StatedLength, whyCut } from '../walk/cut.ts'
import type { Evidence } from './list-evidence.ts'
import type { Ending, ScopeReading } from './scope-reading.ts'

/** Result of testing a list of doubtful length. */
export type Confirmation = 'whole' | 'cut' | 'unclear'

/** A list that is sent in one answer. */
export interface OneAnswerList<R> {
  /** Dotted id of the operation. */
  readonly operation: string
  /** `null`: a list without a project. */
  readonly pid: string | null
  readonly findings: ServiceFindings
  /** Requests the list. */
  readonly batches: (options: CallOptions) => AsyncIterable<RecordBatch<R>>
  readonly toBatch: (batch: Pick<RecordBatch<R>, 'records' | 'losses'>) => StreamBatch
  readonly evidence?: Evidence<R> | undefined
  /** Tests whether a list of doubtful length is complete; may emit more records. */
  readonly confirm?: ((count: number) => Promise<Confirmation>) | undefined
  readonly signal: AbortSignal
}

/** Reads a list that is sent in one answer. If it may be cut, the scope ends as `drifted`. */
export async function readList<R>(list: OneAnswerList<R>, reading: ScopeReading): Promise<Ending> {
  const { operation, pid, findings, evidence, signal } = list
  const length = new StatedLength()
  let count = 0
  reading.pages = 1
  for await (const { records, losses, restart } of list.batches({
    signal,
    stats: reading.stats,
    onTotal: length.onTotal,
  })) {
    if (restart) {
      count = 0
      evidence?.restart()
      await reading.restart()
    }
    count += elementCount({ records, losses })
    await reading.write(list.toBatch({ records, losses: [...losses, ...(evidence?.see(records) ?? [])] }))
  }
  const { total } = length
  const { ofList, ofRecords } = evidence?.found() ?? { ofList: null, ofRecords: null }
  // if the service states the length, records that are not in the list do not exist
  if (total === null && evidence !== undefined)
    await reading.write(list.toBatch({ records: [], losses: evidence.losses() }))
  const longest = findings.longestList(operation)
  const ofStored = findings.storedEvidence(operation, { pid, id: null }, count)
  const known = { count, total, evidence: ofList ?? ofStored }
  // tested even if the service sent longer lists before: it may have begun to cut them
  const doubt = whyCut({ ...known, longest: list.confirm === undefined ? longest : 0 })
  const shown = doubt === null || total !== null ? 'unclear' : ((await list.confirm?.(count)) ?? 'unclear')
  const why = shown === 'whole' ? null : shown === 'cut' ? doubt : whyCut({ ...known, longest })
  // a limit is not below a length that the service sent
  findings.noteList(operation, count)
  if (why !== null) return capped(why)
  return ofRecords === null ? { status: 'complete' } : capped(ofRecords)
}

function capped(message: string): Ending {
  return { status: 'drifted', error: { code: POSSIBLY_CAPPED, message } }
}
