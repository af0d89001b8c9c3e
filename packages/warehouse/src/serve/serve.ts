import { randomBytes, timingSafeEqual } from 'node:crypto'
import { constants } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireDatabase, takeDirectory } from '../driver/data-dir.ts'
import { holdDatabase } from '../driver/embedded.ts'
import { messageOf, WarehouseError } from '../errors.ts'
import { schemaNames } from '../names.ts'
import { Backend } from './backend.ts'
import { errorMessage } from './messages.ts'
import { verifierOf } from './scram.ts'
import { ClientConnection, logIn, serveClient } from './session.ts'

/** How an embedded warehouse is served. */
export interface ServeOptions {
  readonly dataDir: string
  readonly schema: string
  /** 0: any that is free. */
  readonly port: number
  /** Letters and digits. */
  readonly password: string
}

/** A server for clients of Postgres. */
export interface Served extends AsyncDisposable {
  readonly port: number
  /** The role and the database that clients see; others that they ask for are these as well. */
  readonly user: string
  readonly database: string
  /** Rejects if the database stops. */
  readonly failed: Promise<never>
}

/** A statement whose client has gone may end by itself within this time. */
const GRACE_MS = 500

/** Clients reach it from this machine alone. */
const HOST = '127.0.0.1'

/**
 * Serves an embedded warehouse to clients of Postgres on this machine, one at a time, read-only. The warehouse is locked meanwhile. Clients
 * get a copy of its files, which shares their space where the file system can: a client may leave no trace in the warehouse.
 * @throws WarehouseError `LOCKED`, `NO_WAREHOUSE`, `DATA_DIR` if the copy cannot be made, `UNREACHABLE` if the port is taken
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
  { dataDir, schema, port, password }: ServeOptions,
  closers: (() => PromiseLike<void>)[],
  close: () => Promise<void>,
): Promise<Served> {
  const directory = await takeDirectory(dataDir)
  closers.push(() => directory.release())
  const hold = await holdDatabase(directory.path)
  closers.push(() => hold[Symbol.asyncDispose]())
  const copy = join(directory.path, 'serving')
  closers.push(() => rm(copy, { recursive: true, force: true }))
  try {
    // one that was killed may have left its copy
    await rm(copy, { recursive: true, force: true })
    await cp(join(directory.path, 'warehouse'), copy, { recursive: true, mode: constants.COPYFILE_FICLONE })
  } catch (error) {
    throw new WarehouseError('DATA_DIR', `the embedded warehouse cannot be copied to ${copy}: ${messageOf(error)}`, {
      cause: error,
    })
  }
  const backend = await Backend.start(copy, schema)
  closers.push(() => backend.stop())
  const verifier = verifierOf(password)
  const sockets = new Set<Socket>()
  let isTaken = false
  let cancelKey = randomBytes(8)
  const cancel = (key: Buffer) => {
    if (key.length === cancelKey.length && timingSafeEqual(key, cancelKey) && backend.isBusy) void backend.interrupt()
  }
  const answer = async (socket: Socket) => {
    const client = new ClientConnection(socket)
    if (!(await logIn(client, { verifier, socket, cancel }))) return
    if (isTaken) {
      const reason = 'the embedded warehouse answers one client at a time: end the other connection first'
      return await client.send(errorMessage('FATAL', '53300', reason))
    }
    isTaken = true
    cancelKey = randomBytes(8)
    const session = serveClient(client, backend, cancelKey)
    session.catch(() => {}) // of a client that has gone
    try {
      await Promise.race([session, client.gone])
      // what a client that has gone asked for is of no use to anybody
      if (backend.isBusy) await Promise.race([session, sleep(GRACE_MS)])
      if (backend.isBusy) await backend.interrupt()
      await session
    } finally {
      isTaken = false
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
  server.maxConnections = 20 // most of them log in
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
    ...{ user: backend.user, database: 'postgres', failed: backend.failed },
    [Symbol.asyncDispose]: close,
  }
}
