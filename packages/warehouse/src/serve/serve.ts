import { randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireDatabase, takeDirectory } from '../driver/data-dir.ts'
import { messageOf, WarehouseError } from '../errors.ts'
import { schemaNames } from '../names.ts'
import { Backend } from './backend.ts'
import { Backends } from './backends.ts'
import { errorMessage } from './messages.ts'
import { verifierOf } from './scram.ts'
import { ClientConnection, logIn, serveClient } from './session.ts'

/** How an embedded warehouse is served. */
export interface ServeOptions {
  readonly dataDir: string
  readonly schema: string
  /** 0: any free port. */
  readonly port: number
  /** Letters and digits. */
  readonly password: string
  /** Clients that are served at once. Default 4. */
  readonly sessions?: number
  /** Milliseconds that a further client waits until another one disconnects. Default 5,000. */
  readonly waitMs?: number
}

/** A server for clients of Postgres. */
export interface Served extends AsyncDisposable {
  readonly port: number
  /** The role and the database that clients see; others that they ask for are these as well. */
  readonly user: string
  readonly database: string
  /** Rejects once the lock of the warehouse is lost: another process may write to it. */
  readonly failed: Promise<never>
}

/** A statement whose client has gone may end by itself within this time. */
const GRACE_MS = 500

/** Connections that may be open besides the sessions, such as those that have not logged in yet. */
const LOGINS = 20

const IDLE_MS = 60_000

/** A session with more memory is not reused. Twice what Postgres begins with. */
const LARGEST_BYTES = 256 * 1024 * 1024

/** How often the lock of the warehouse is checked. */
const CHECK_MS = 5000

/** Clients reach it from this machine alone. */
const HOST = '127.0.0.1'

/**
 * Serves an embedded warehouse to clients of Postgres on this machine, read-only. The warehouse is locked meanwhile. Each client has a Postgres of
 * its own on the same files, which are only read: what a session writes is kept apart and thrown away.
 * @throws WarehouseError `LOCKED`, `NO_WAREHOUSE`, `DATA_DIR` if `serving` cannot be made in it, `UNREACHABLE` if the port is taken
 */
export async function serveEmbedded(options: ServeOptions): Promise<Served> {
  schemaNames(options.schema) // an invalid name is reported before anything is made
  await requireDatabase(options.dataDir)
  const closers: (() => PromiseLike<void>)[] = []
  // the last that was opened first
  const close = async () => {
    for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) await closer()
  }
  try {
    return await open(options, closers, close)
  } catch (error) {
    await close()
    throw error
  }
}

async function open(
  { dataDir, schema, port, password, sessions = 4, waitMs = 5000 }: ServeOptions,
  closers: (() => PromiseLike<void>)[],
  close: () => Promise<void>,
): Promise<Served> {
  const directory = await takeDirectory(dataDir)
  closers.push(() => directory.release())
  // Not loaded with every command: the library takes time and memory.
  const { holdDatabase } = await import('../driver/embedded.ts')
  const hold = await holdDatabase(directory.path)
  closers.push(() => hold[Symbol.asyncDispose]())
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => {})
  const timer = setInterval(() => attempt(directory.check, lost.reject), CHECK_MS)
  closers.push(async () => clearInterval(timer))
  const spills = await spillDirectory(directory.path)
  closers.push(() => rm(spills, { recursive: true, force: true }))
  let spillNumber = 0
  const start = () =>
    Backend.start({ directory: join(directory.path, 'warehouse'), spill: join(spills, String(spillNumber++)), schema })
  const backends = new Backends(start, { sessions, waitMs, idleMs: IDLE_MS, largestBytes: LARGEST_BYTES })
  closers.push(() => backends.stop())
  // a warehouse that cannot be opened is reported before the first client comes
  const first = await backends.take(() => false)
  if (first === null) throw new WarehouseError('QUERY', 'the number of sessions is zero')
  const { user } = first
  await backends.give(first)
  const verifier = verifierOf(password)
  const sockets = new Set<Socket>()
  const cancelKeys = new Map<Backend, Buffer>()
  const cancel = (key: Buffer) => {
    for (const [backend, other] of cancelKeys)
      if (key.length === other.length && timingSafeEqual(key, other) && backend.isBusy) void backend.stop()
  }
  const answer = async (socket: Socket) => {
    const client = new ClientConnection(socket)
    const settings = await logIn(client, { verifier, socket, cancel })
    if (settings === null) return
    const backend = await backends.take(() => socket.destroyed).catch((error: unknown) => messageOf(error))
    if (typeof backend === 'string') return await client.send(errorMessage('FATAL', '53000', backend))
    if (backend === null) return await client.send(errorMessage('FATAL', '53300', tooMany(sessions)))
    const cancelKey = randomBytes(8)
    cancelKeys.set(backend, cancelKey)
    const session = serveClient(client, backend, { settings, cancelKey })
    session.catch(() => {}) // of a client that has gone
    try {
      const ended = session.then(() => true)
      const late = client.gone.then(() => sleep(GRACE_MS, false, { ref: false }))
      // no client needs the rest of the answer
      if (!(await Promise.race([ended, late]))) await backend.stop()
      await session
    } finally {
      cancelKeys.delete(backend)
      await backends.give(backend)
    }
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {}) // a client that has gone
    answer(socket).then(
      () => socket.end(),
      () => socket.destroy(),
    )
  })
  server.maxConnections = sessions + LOGINS
  closers.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new WarehouseError('UNREACHABLE', `port ${port} of ${HOST} cannot be opened: ${error.message}`)),
    )
    server.listen(port, HOST, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    ...{ user, database: 'postgres', failed: lost.promise },
    [Symbol.asyncDispose]: close,
  }
}

/** An empty directory for what sessions write. */
async function spillDirectory(dataDir: string): Promise<string> {
  const path = join(dataDir, 'serving')
  try {
    // one that was killed may have left its own
    await rm(path, { recursive: true, force: true })
    await mkdir(path, { mode: 0o700 })
    return path
  } catch (error) {
    throw new WarehouseError('DATA_DIR', `${path} cannot be made: ${messageOf(error)}`, { cause: error })
  }
}

function tooMany(sessions: number): string {
  return `sorry, too many clients already: ${sessions} are served at once (serve --sessions)`
}

function attempt(work: () => void, onError: (error: unknown) => void): void {
  try {
    work()
  } catch (error) {
    onError(error)
  }
}
