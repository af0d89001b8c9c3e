import { parentPort, workerData } from 'node:worker_threads'
import { openTaken } from '../driver/embedded.ts'
import { isWarehouseError } from '../errors.ts'
import { schemaNames } from '../names.ts'
import { runQuery } from './query.ts'
import type { QueryTask, QueryTold } from './query-embedded.ts'

// Runs one query on the embedded warehouse, in a thread that can be ended: `query-embedded.ts` starts it and holds the directory.
const { directory, schema, sql } = workerData as QueryTask // as it was started with
tell(await answer())

async function answer(): Promise<QueryTold> {
  try {
    const driver = await openTaken({ path: directory, release: async () => {} })
    try {
      tell({ type: 'begun' })
      return { type: 'done', outcome: await runQuery(driver, schemaNames(schema), sql) }
    } finally {
      await driver.close()
    }
  } catch (error) {
    return isWarehouseError(error)
      ? { type: 'refused', code: error.code, message: error.message }
      : { type: 'failed', error }
  }
}

function tell(told: QueryTold): void {
  parentPort?.postMessage(told)
}
