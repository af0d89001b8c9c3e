import { parentPort, workerData } from 'node:worker_threads'
import { serialize } from 'pg-protocol'
import { START_PARAMS } from '../driver/embedded.ts'
import { EmbeddedDatabase } from '../driver/embedded-database.ts'
import { SESSION_SETUP } from '../driver/session-settings.ts'
import { messageOf } from '../errors.ts'
import { type SchemaNames, schemaNames } from '../names.ts'
import type { BackendReply, BackendRequest, BackendTask, Began } from './backend.ts'
import { OverlayFiles } from './overlay-files.ts'
import type { Settings } from './startup.ts'

// Runs Postgres for one client, in a thread: a statement cannot be interrupted, but the thread can be ended.

/** The role of clients. It owns nothing and may read the schema. */
const READER = 'collab_reader'

/** Bytes on their way to the client; then Postgres waits. */
const IN_FLIGHT = 4 * 1024 * 1024

/** Files that Postgres has open at once: the descriptors of the process are shared by all sessions. */
const FEW_FILES = ['-c', 'max_files_per_process=200']

/** What Postgres reports of the settings that clients may make: drivers read values by them. */
const REPORTED = ['application_name', 'DateStyle', 'IntervalStyle', 'search_path', 'TimeZone']

const { directory, spill, schema, sent } = workerData as BackendTask // as it was started with
const flow = new Int32Array(sent)

try {
  const fs = new OverlayFiles(directory, spill)
  const database = await EmbeddedDatabase.open(undefined, { fs, startParams: [...START_PARAMS, ...FEW_FILES] })
  await database.exec(readerSql(schemaNames(schema)))
  const { rows } = await database.query<{ v: string }>("SELECT current_setting('server_version') AS v")
  await begin(database, new Map())
  // what recovery wrote is not of a session
  const ownBytes = fs.spilledBytes
  reply({ type: 'ready', version: rows[0]?.v ?? '', user: READER })
  parentPort?.on('message', (request: BackendRequest) => {
    answer(database, request).then(
      (began) => {
        const memoryBytes = database.Module['HEAPU8'].length
        reply({ type: 'done', id: request.id, memoryBytes, spilledBytes: fs.spilledBytes - ownBytes, began })
      },
      (error: unknown) => reply({ type: 'failed', message: messageOf(error) }),
    )
  })
} catch (error) {
  reply({ type: 'failed', message: messageOf(error) })
}

async function answer(database: EmbeddedDatabase, request: BackendRequest): Promise<Began | null> {
  if ('settings' in request) return await begin(database, request.settings)
  const { id, bytes } = request
  await database.execProtocolRawStream(bytes, {
    syncToFs: false,
    onRawData: (data) => {
      // the bytes are in memory that Postgres uses again
      const copy = Uint8Array.from(data)
      Atomics.add(flow, 0, copy.length)
      parentPort?.postMessage({ type: 'data', id, bytes: copy } satisfies BackendReply, [copy.buffer])
      for (let size = Atomics.load(flow, 0); size > IN_FLIGHT; size = Atomics.load(flow, 0)) Atomics.wait(flow, 0, size)
    },
  })
  return null
}

/** Begins the session of the next client: nothing of the one before is left. */
async function begin(database: EmbeddedDatabase, settings: Settings): Promise<Began> {
  // a client may have gone in the middle of anything
  await database.execProtocolRawStream(serialize.sync(), { syncToFs: false, onRawData: () => {} })
  await database.exec('ROLLBACK')
  // without a server around it, Postgres has no user that RESET would return to
  await database.exec('SET SESSION AUTHORIZATION postgres')
  await database.exec('DISCARD ALL')
  await database.exec(SESSION_SETUP)
  await database.exec(`SET search_path = ${schemaNames(schema).main}; SET default_transaction_read_only = on`)
  const error = await set(database, settings)
  const { rows } = await database.query<{ name: string; setting: string }>(
    'SELECT name, current_setting(name) AS setting FROM unnest($1::text[]) name',
    [REPORTED],
  )
  await database.exec(`SET SESSION AUTHORIZATION ${READER}`)
  return { reported: new Map(rows.map(({ name, setting }) => [name, setting])), error }
}

/** Not by SET: a path is a list. Returns the first error. */
async function set(database: EmbeddedDatabase, settings: Settings): Promise<Began['error']> {
  try {
    for (const each of settings) await database.query('SELECT set_config($1, $2, false)', each)
    return null
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'XX000'
    return { code, message: messageOf(error) }
  }
}

function readerSql({ main, history }: SchemaNames): string {
  // `set_config` does what SET does; the others write in a transaction that is not read-only, and the language runs any statement
  const functions = [
    'set_config',
    'lo_create',
    'lo_creat',
    'lo_from_bytea',
    'lo_import',
    'lo_put',
    'lo_unlink',
    'lo_open',
    'lowrite',
  ]
  // conversions between encodings are not built in: one that is called stops the thread, or answers without rows and without an error
  return `DO $$ BEGIN IF to_regrole('${READER}') IS NULL THEN CREATE ROLE ${READER}; END IF; END $$;
    DELETE FROM pg_catalog.pg_conversion;
    REVOKE ALL ON DATABASE postgres FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC; REVOKE ALL ON LANGUAGE plpgsql FROM PUBLIC;
    ${functions.map((name) => revokeSql(name)).join('\n')}
    GRANT USAGE ON SCHEMA ${main}, ${history} TO ${READER};
    GRANT SELECT ON ALL TABLES IN SCHEMA ${main}, ${history} TO ${READER}`
}

/** Of all functions of that name. */
function revokeSql(name: string): string {
  return `DO $$ DECLARE f regprocedure; BEGIN FOR f IN SELECT oid FROM pg_proc WHERE proname = '${name}' LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f); END LOOP; END $$;`
}

function reply(message: BackendReply): void {
  parentPort?.postMessage(message)
}
