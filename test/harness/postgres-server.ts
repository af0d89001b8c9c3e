import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers'
import type { TestProject } from 'vitest/node'
import { startLocalPostgres } from './local-postgres.ts'
import { hasEnoughMemory } from './memory-directory.ts'
import { oncePerRun } from './once-per-run.ts'
import { findBinaries } from './postgres-binaries.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a Postgres server on which databases may be made; `null` where none could be had. */
    postgresUrl: string | null
    /** Where it came from, or why there is none. */
    postgresBackend: string
  }
}

/** A server, or the reason why there is none. */
interface Found {
  readonly url: string | null
  /** Where it came from, or why there is none. */
  readonly origin: string
  stop(): Promise<void>
}

const DEFAULT_IMAGE = 'postgres:17-alpine'

const server = oncePerRun('postgres server', findServer, ({ stop }) => stop())

/** Vitest global set-up: finds or starts the Postgres server of the tests, once for the whole run. */
export async function setup(project: TestProject): Promise<void> {
  const { url, origin } = await server.take()
  project.provide('postgresUrl', url)
  project.provide('postgresBackend', origin)
  process.env['COLLAB_TEST_POSTGRES_BACKEND'] = origin
}

/** The last project to finish stops the server. */
export async function teardown(): Promise<void> {
  await server.leave()
}

/**
 * The server of TEST_DATABASE_URL; else one of the binaries in TEST_POSTGRES_BINARIES; else one in a container of TEST_POSTGRES_IMAGE; else
 * one in a container of the default image or, without a container engine, of the binaries that npm installed. If one of the variables is
 * set, no other server takes its place: CI chooses the version by them.
 */
export async function findServer(): Promise<Found> {
  const given = process.env['TEST_DATABASE_URL']
  if (given) return { url: given, origin: 'ran on the server of TEST_DATABASE_URL', stop: async () => {} }
  if (process.env['TEST_POSTGRES_BINARIES']) return await fromBinaries()
  const image = process.env['TEST_POSTGRES_IMAGE']
  if (image) return await inContainer(image)
  const contained = await inContainer(DEFAULT_IMAGE)
  if (contained.url !== null) return contained
  const local = await fromBinaries()
  return local.url === null ? { ...local, origin: `${contained.origin}; ${local.origin}` } : local
}

async function fromBinaries(): Promise<Found> {
  try {
    const binaries = await findBinaries()
    if (binaries === null) return none('npm installed no binaries for this platform')
    const { url, version, stop } = await startLocalPostgres(binaries)
    return { url, origin: `ran on Postgres ${version} of ${binaries.origin}`, stop }
  } catch (error) {
    return none(reasonOf(error))
  }
}

async function inContainer(image: string): Promise<Found> {
  try {
    const container = await startContainer(image)
    const url = `postgres://test:test@${container.getHost()}:${container.getMappedPort(5432)}/test`
    return { url, origin: `ran in a container of ${image}`, stop: async () => void (await container.stop()) }
  } catch (error) {
    return none(`no container of ${image} could be started (${reasonOf(error)})`)
  }
}

function none(reason: string): Found {
  return { url: null, origin: `did NOT run: ${reason}`, stop: async () => {} }
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}

async function startContainer(image: string): Promise<StartedTestContainer> {
  const inMemory = hasEnoughMemory()
  return await new GenericContainer(image)
    .withEnvironment({
      POSTGRES_USER: 'test',
      POSTGRES_PASSWORD: 'test',
      POSTGRES_DB: 'test',
      ...(inMemory && { PGDATA: '/var/lib/postgresql/memory' }),
    })
    // Tests create hundreds of databases, and none of them needs to survive a crash. On a disk, creating their files takes a third of the
    // server's time.
    .withTmpFs(inMemory ? { '/var/lib/postgresql': 'rw' } : {})
    // Several tests at once start several workers each, and each worker has up to eleven sessions; the default is 100 sessions.
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=400'])
    // The engine's default of 64 MB is too little for parallel queries.
    .withSharedMemorySize(1024 ** 3)
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .withStartupTimeout(120_000)
    .start()
}
