import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers'
import type { TestProject } from 'vitest/node'
import { hasEnoughMemory } from './memory-directory.ts'
import { oncePerRun } from './once-per-run.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a Postgres server on which databases may be made; `null` where none could be had. */
    postgresUrl: string | null
    /** Where it came from, or why there is none. */
    postgresBackend: string
  }
}

interface Found {
  readonly url: string | null
  /** Where it came from, or why there is none. */
  readonly origin: string
  readonly container?: StartedTestContainer
}

const server = oncePerRun('postgres server', findServer, async ({ container }) => void (await container?.stop()))

/** Vitest global set-up: finds or starts the Postgres server of the tests, once for the whole run. */
export async function setup(project: TestProject): Promise<void> {
  const { url, origin } = await server.take()
  project.provide('postgresUrl', url)
  project.provide('postgresBackend', origin)
  process.env['COLLAB_TEST_POSTGRES_BACKEND'] = origin
}

/** The last project to finish stops the container. */
export async function teardown(): Promise<void> {
  await server.leave()
}

/** The server of `TEST_DATABASE_URL`, or one in a container that the caller must stop. */
export async function findServer(): Promise<Found> {
  const given = process.env['TEST_DATABASE_URL']
  if (given) return { url: given, origin: 'ran on the server of TEST_DATABASE_URL' }
  const image = process.env['TEST_POSTGRES_IMAGE'] || 'postgres:17-alpine'
  const inMemory = hasEnoughMemory()
  try {
    const container = await new GenericContainer(image)
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
    const url = `postgres://test:test@${container.getHost()}:${container.getMappedPort(5432)}/test`
    return { url, origin: `ran in a container of ${image}`, container }
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    return { url: null, origin: `did NOT run: no container of ${image} could be started (${reason})` }
  }
}
