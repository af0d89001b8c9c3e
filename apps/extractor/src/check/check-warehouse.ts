import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Context, EXIT, formatDuration, formatNumber, type Settings } from '@collab-etl/cli'
import { isMissing } from '@collab-etl/lock'
import { isWarehouseError, type ListedRun, type Warehouse } from '@collab-etl/warehouse'
import { toCliError } from '../errors.ts'
import { connectWarehouse } from '../warehouse.ts'
import { type CheckOutcome, failed, ok, unknown } from './check.ts'

/** What to do about each error of opening a warehouse. */
const ADVICE: Readonly<Record<string, string>> = {
  LOCKED: 'Wait until the other run has ended',
  BAD_URL: 'Check --database-url or DATABASE_URL',
  UNSUITABLE: 'Give another server, port or database in DATABASE_URL',
  BAD_SCHEMA_NAME: 'Check --schema',
  UNFINISHED: 'Nothing can read it until then',
  SCHEMA_UNRELEASED: 'Give another --schema, or another database or data directory, and take a new snapshot',
  DATA_DIR: 'Check --data-dir and who may write there',
  DISK_FULL: 'What is stored is unchanged',
  DENIED: 'Check user, password and rights in DATABASE_URL',
}

const UNREACHABLE_ADVICE = 'Check DATABASE_URL, and whether the server runs and accepts this machine'

/** Checks the database and the version of its schema. Creates neither. */
export async function checkWarehouse({ settings }: Context): Promise<CheckOutcome[]> {
  let opened: Warehouse
  try {
    opened = await connectWarehouse(settings)
    await requireOwnSessions(opened)
  } catch (error) {
    if (isWarehouseError(error, 'NO_WAREHOUSE')) return await checkMissing(settings, error.message)
    const known = toCliError(error)
    if (known === undefined) throw error
    const advice = ADVICE[known.code] ?? UNREACHABLE_ADVICE
    return [failed('database', known.exitCode, known.message, advice), unknown('schema', 'not checked')]
  }
  await using warehouse = opened
  const schema = await checkSchema(warehouse)
  const isUsable = schema.exitCode === EXIT.ok && (await warehouse.admin.schemaVersion()) === warehouse.supportedVersion
  return [ok('database', warehouse.location), schema, ...(isUsable ? [await lastRuns(warehouse)] : [])]
}

async function requireOwnSessions(warehouse: Warehouse): Promise<void> {
  try {
    await warehouse.admin.requireOwnSessions()
  } catch (error) {
    await warehouse.close()
    throw error
  }
}

/** The first snapshot creates a missing embedded warehouse, if it can write there. */
async function checkMissing({ dataDir, schema }: Settings, message: string): Promise<CheckOutcome[]> {
  const parent = await existingAncestor(dataDir)
  const isDirectory = await stat(parent).then((found) => found.isDirectory(), no)
  const isWritable = isDirectory && (await access(parent, constants.W_OK).then(yes, no))
  if (!isWritable) {
    const problem = `${message}, and none can be created there: ${parent} is not a writable directory`
    return [failed('database', EXIT.usage, problem, ADVICE['DATA_DIR'] ?? ''), unknown('schema', 'not checked')]
  }
  return [
    ok('database', message, 'The first snapshot creates it; for an existing warehouse, set DATABASE_URL or --data-dir'),
    ok('schema', `${schema} does not exist yet`, 'The first snapshot creates it, or collab-extract init'),
  ]
}

const yes = () => true
const no = () => false

async function existingAncestor(path: string): Promise<string> {
  // a path that this process may not look at exists
  const exists = await stat(path).then(yes, (error: unknown) => !isMissing(error))
  return exists || dirname(path) === path ? path : await existingAncestor(dirname(path))
}

async function checkSchema(warehouse: Warehouse): Promise<CheckOutcome> {
  const { schema, supportedVersion } = warehouse
  try {
    const version = await warehouse.admin.schemaVersion()
    if (version === 0)
      return ok('schema', `${schema} does not exist yet`, 'The first snapshot creates it, or collab-extract init')
    if (version < supportedVersion) {
      const advice = 'The next snapshot migrates it, or collab-extract init'
      return ok('schema', `${schema} is at version ${version}; this tool needs ${supportedVersion}`, advice)
    }
    if (version > supportedVersion) {
      const message = `${schema} is at version ${version}; this tool supports ${supportedVersion}`
      return failed('schema', EXIT.usage, message, 'Use the newer version of this tool that created it')
    }
    const missing = await warehouse.admin.missingObjects()
    if (missing.length > 0) return failed('schema', EXIT.damage, missingText(schema, missing), MISSING_ADVICE)
    return ok('schema', `${schema} is at version ${version}`)
  } catch (error) {
    const known = toCliError(error)
    if (known === undefined) throw error
    return failed('schema', known.exitCode, known.message, ADVICE[known.code] ?? UNREACHABLE_ADVICE)
  }
}

/** Runs among which the last one that succeeded is looked for: a quarter of a year of nights. */
const LATEST_RUNS = 100

/** How fresh the data is. A run that did not succeed is no mistake of the set-up: the line only reports it. */
async function lastRuns(warehouse: Warehouse): Promise<CheckOutcome> {
  const runs = await warehouse.log.runs(LATEST_RUNS)
  const [last] = runs
  if (last === undefined) return ok('runs', 'there was none yet', 'Run collab-extract snapshot')
  const succeeded = runs.find(({ status, covers_all: coversAll }) => status === 'succeeded' && coversAll)
  const age = ({ started_at: begin }: ListedRun) => `${formatDuration(Math.max(0, Date.now() - Date.parse(begin)))} ago`
  const text = `the last one began ${age(last)} (${last.status})`
  if (last === succeeded) return ok('runs', text)
  const advice = `collab-extract runs ${last.run_id} shows what is missing`
  if (succeeded === undefined) return ok('runs', `${text}; none of the last ${runs.length} succeeded`, advice)
  return ok('runs', `${text}, the last one that succeeded ${age(succeeded)}`, advice)
}

const NAMED = 5

/** What to do about a schema of which parts are missing: no upgrade makes them again. */
export const MISSING_ADVICE = 'Restore the database from its backup, or make a new warehouse in another --schema'

export function missingText(schema: string, missing: readonly string[]): string {
  const more = missing.length > NAMED ? `, and ${missing.length - NAMED} more` : ''
  return `${formatNumber(missing.length, 'object')} of the schema ${schema} ${missing.length === 1 ? 'is' : 'are'} missing: ${missing.slice(0, NAMED).join(', ')}${more}`
}
