import { parentPort, workerData } from 'node:worker_threads'
import { holdsExactNumber } from '@collab-etl/contract/exact-json'
import { readMarks, refuseUnfinished } from '../admin/marks.ts'
import { openTaken } from '../driver/embedded.ts'
import { isWarehouseError } from '../errors.ts'
import { schemaNames } from '../names.ts'
import type { QueryOutcome } from './query.ts'
import { runQuery } from './query.ts'
import type { QueryMessage, QueryTask, SentOutcome } from './query-embedded.ts'

// Runs one query on the embedded warehouse, in a thread that can be ended: `query-embedded.ts` starts it and holds the directory.
const { directory, schema, sql, limits } = workerData as QueryTask // as it was started with
report(await answer())

async function answer(): Promise<QueryMessage> {
  try {
    const driver = await openTaken({ path: directory, check() {}, release: async () => {} })
    try {
      const names = schemaNames(schema)
      refuseUnfinished(await readMarks(driver, names), driver, names)
      report({ type: 'begun' })
      return { type: 'done', outcome: withTexts(await runQuery(driver, names, sql, undefined, limits)) }
    } finally {
      await driver.close()
    }
  } catch (error) {
    return isWarehouseError(error)
      ? { type: 'refused', code: error.code, message: error.message }
      : { type: 'failed', error }
  }
}

/** Exact numbers cannot be sent to another thread: a cell that holds some travels as JSON text. */
function withTexts({ rows, ...rest }: QueryOutcome): SentOutcome {
  const texts: SentOutcome['texts'][number][] = []
  const sent = rows.map((cells, row) =>
    cells.map((cell, column) => {
      if (!holdsExactNumber(cell)) return cell
      texts.push({ row, column, text: JSON.stringify(cell) })
      return null
    }),
  )
  return { ...rest, rows: sent, texts }
}

function report(message: QueryMessage): void {
  parentPort?.postMessage(message)
}
