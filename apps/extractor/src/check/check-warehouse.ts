import { type Context, EXIT } from '@collab-etl/cli'
import type { Warehouse } from '@collab-etl/warehouse'
import { connectWarehouse } from '../connect/warehouse.ts'
import { toCliError } from '../errors.ts'
import { type CheckOutcome, failed, ok, unknown } from './check.ts'
import { MISSING_ADVICE, missingText } from './missing.ts'

/** What to do about each way in which a warehouse cannot be opened. */
const ADVICE: Readonly<Record<string, string>> = {
  LOCKED: 'Wait until the other run is over',
  BAD_URL: 'Check --database-url or DATABASE_URL',
  UNSUITABLE: 'Give another server or database in DATABASE_URL',
  BAD_SCHEMA_NAME: 'Check --schema',
  DATA_DIR: 'Check --data-dir and who may write there',
  DENIED: 'Check user, password and rights in DATABASE_URL',
}

const UNREACHABLE_ADVICE = 'Check DATABASE_URL, and whether the server runs and lets this machine in'

/** Looks at the database and the version of its schema. */
export async function checkWarehouse({ settings }: Context): Promise<CheckOutcome[]> {
  let warehouse: Warehouse
  try {
    warehouse = await connectWarehouse(settings)
  } catch (error) {
    const known = toCliError(error)
    if (known === undefined) throw error
    const advice = ADVICE[known.code] ?? UNREACHABLE_ADVICE
    return [failed('database', known.exitCode, known.message, advice), unknown('schema', 'not looked at')]
  }
  try {
    return [ok('database', warehouse.location), await checkSchema(warehouse)]
  } finally {
    await warehouse.close()
  }
}

async function checkSchema(warehouse: Warehouse): Promise<CheckOutcome> {
  const { schema, supportedVersion } = warehouse
  try {
    const version = await warehouse.schemaVersion()
    if (version === 0)
      return ok('schema', `${schema} is not there yet`, 'The first snapshot makes it, or collab-extract init')
    if (version < supportedVersion) {
      const advice = 'The next snapshot migrates it, or collab-extract init'
      return ok('schema', `${schema} is at version ${version}; this tool makes ${supportedVersion}`, advice)
    }
    if (version > supportedVersion) {
      const message = `${schema} is at version ${version}; this tool knows ${supportedVersion}`
      return failed('schema', EXIT.usage, message, 'Use the newer version of this tool that made it')
    }
    const missing = await warehouse.missingObjects()
    if (missing.length > 0) return failed('schema', EXIT.damage, missingText(schema, missing), MISSING_ADVICE)
    return ok('schema', `${schema} is at version ${version}`)
  } catch (error) {
    const known = toCliError(error)
    if (known === undefined) throw error
    return failed('schema', known.exitCode, known.message, ADVICE[known.code] ?? UNREACHABLE_ADVICE)
  }
}
