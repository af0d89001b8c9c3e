import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { copyDirectory } from './copy-directory.ts'
import { freePort } from './free-port.ts'
import { isRunning, removeIfPossible } from './memory-directory.ts'
import { isPublic, makeExecutable, serverUser } from './postgres-binaries.ts'

// Runs a Postgres server for as long as the process that started this one is connected: when that one ends, even if it is killed, the
// server stops and its files are removed. Started by `local-postgres.ts`.

/** What this process reports: the server's address and version, once it is ready, or why there is none; that it was stopped. */
export type KeeperMessage =
  | { readonly url: string; readonly version: string }
  | { readonly error: string }
  | { readonly isStopped: true }

/** An order to it: how to stop the server (`fast` ends all sessions, `immediate` is a crash), or to start it again. */
export type KeeperOrder = 'fast' | 'immediate' | 'start'

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const

const NAME = /^collab-etl-postgres-(\d+)$/
const START_TIMEOUT_MS = 60_000
/** Parallel queries share memory there. Where it is smaller, as in containers by default, they use files. */
const SHARED_MEMORY_BYTES = 1024 ** 3
/** Another process may take a free port before the server does. */
const PORTS_TRIED = 5

const execute = promisify(execFile)
const [binaries = '', address] = process.argv.slice(2)
const user = serverUser()
// a server that runs as another user than this process cannot look into private directories
const isUsable = (directory: string) => user === null || isPublic(directory)
const temporary = [tmpdir(), '/tmp', '/var/tmp'].find(isUsable) ?? tmpdir()
const home = join(temporary, `collab-etl-postgres-${process.pid}`)
const options = { cwd: home, env: { PATH: process.env['PATH'], LC_ALL: 'C' }, ...user }
let server: ReturnType<typeof spawn> | undefined
const stopping = new AbortController()
let startAgain: () => Promise<KeeperMessage>
let initialising: Promise<unknown> = Promise.resolve()

process.on('disconnect', () => void stop())
process.on('message', (order: KeeperOrder) => void obey(order))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())

try {
  // its parent may have ended while this process loaded, before it could notice
  if (process.connected) {
    makeHome()
    await report(await start(await usableBinaries()))
  } else await stop()
} catch (error) {
  await report({ error: error instanceof Error ? error.message : String(error) })
  await stop()
}

/** Resolves once the message is sent, or there is no process any more to receive it. */
async function report(message: KeeperMessage): Promise<void> {
  await new Promise((resolve) => process.send?.(message, resolve))
}

/** Removes the directories of processes that no longer run, and makes one for this process. */
function makeHome(): void {
  for (const entry of readdirSync(temporary)) {
    const pid = NAME.exec(entry)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) removeIfPossible(join(temporary, entry))
  }
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { mode: 0o700 })
  if (user !== null) chownSync(home, user.uid, user.gid)
}

/** A copy, if the user of the server cannot reach the installed ones. */
async function usableBinaries(): Promise<string> {
  if (isUsable(binaries)) {
    makeExecutable(binaries)
    return binaries
  }
  const copy = join(home, 'binaries')
  await copyDirectory(binaries, copy)
  makeExecutable(copy)
  return copy
}

async function obey(order: KeeperOrder): Promise<void> {
  try {
    if (order === 'start') await report(await startAgain())
    else {
      await endServer(SIGNALS[order])
      await report({ isStopped: true })
    }
  } catch (error) {
    await report({ error: String(error) })
  }
}

async function start(directory: string): Promise<KeeperMessage> {
  const data = join(home, 'data')
  await initialise(join(directory, 'bin/initdb'), data)
  for (let tried = 1; ; tried++) {
    try {
      const port = await freePort()
      startAgain = () => listen(join(directory, 'bin/postgres'), data, port)
      return await startAgain()
    } catch (error) {
      if (tried === PORTS_TRIED || !/could not bind|already in use/.test(String(error))) throw error
    }
  }
}

async function initialise(initdb: string, data: string): Promise<void> {
  const password = join(home, 'password')
  writeFileSync(password, 'test\n')
  const args = ['-D', data, '-U', 'test', `--pwfile=${password}`, '-A', 'scram-sha-256', '-E', 'UTF8', '--no-sync']
  const made = (locale: string) => {
    const ended = execute(initdb, [...args, `--locale=${locale}`], { ...options, signal: stopping.signal })
    const { child } = ended
    // when it is aborted, the promise is rejected before the program has ended
    if (child.pid !== undefined) initialising = new Promise((resolve) => child.once('exit', resolve))
    return ended
  }
  await made('C.UTF-8').catch(async (error: unknown) => {
    // not every system has that locale
    if (!/invalid locale/.test(String(error))) throw error
    await made('C')
  })
  if (address !== undefined) appendFileSync(join(data, 'pg_hba.conf'), `host all all ${address}/24 scram-sha-256\n`)
}

/** Starts the server on a port of loopback, and waits until it has the database `test`. */
async function listen(program: string, data: string, port: number): Promise<KeeperMessage> {
  const logFile = join(home, 'log')
  const log = openSync(logFile, 'w')
  const settings = {
    port,
    listen_addresses: ['127.0.0.1', ...(address === undefined ? [] : [address])].join(),
    unix_socket_directories: '',
    timezone: 'UTC',
    // Tests create hundreds of databases, and none of them needs to survive a crash.
    fsync: 'off',
    full_page_writes: 'off',
    // Several tests at once start several workers each, and each worker has up to eleven sessions; the default is 100 sessions.
    max_connections: 400,
    dynamic_shared_memory_type: hasSharedMemory() ? 'posix' : 'mmap',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(program, ['-D', data, ...flags], { ...options, stdio: ['ignore', log, log] })
  server = child
  let failure: string | undefined
  child.on('error', (error) => (failure = error.message))
  child.on('exit', (code) => (failure = `the server ended with ${code}: ${readFileSync(logFile, 'utf8').slice(-2000)}`))
  const deadline = performance.now() + START_TIMEOUT_MS
  while (failure === undefined && performance.now() < deadline) {
    const version = await createDatabase(port).catch(() => null)
    if (version !== null) return { url: `postgres://test:test@127.0.0.1:${port}/test`, version }
    await setTimeout(30)
  }
  throw new Error(failure ?? `the server was not ready within ${START_TIMEOUT_MS / 1000} s`)
}

async function createDatabase(port: number): Promise<string> {
  const client = new pg.Client({ connectionString: `postgres://test:test@127.0.0.1:${port}/postgres` })
  // `stop` may end the server meanwhile; without a listener, this process would end before it removes the files
  client.on('error', () => {})
  await client.connect()
  try {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = 'test'")
    if (rowCount === 0) await client.query('CREATE DATABASE test')
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    return rows[0]?.server_version ?? ''
  } finally {
    await client.end()
  }
}

function hasSharedMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize >= SHARED_MEMORY_BYTES
  } catch {
    return process.platform !== 'linux'
  }
}

async function stop(): Promise<void> {
  stopping.abort()
  await initialising // it would write after its directory is removed
  await endServer(SIGNALS.immediate) // the files are removed
  removeIfPossible(home)
  process.exit()
}

async function endServer(signal: NodeJS.Signals): Promise<void> {
  if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill(signal)
  await ended
}
