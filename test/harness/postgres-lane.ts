import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a Postgres server on which databases may be made; `null` where none could be had. */
    postgresUrl: string | null
    /** Where it came from, or why there is none. */
    postgresLane: string
  }
}

interface Lane {
  readonly url: string | null
  readonly lane: string
  readonly container?: StartedTestContainer
}

// Several projects of one Vitest process ask for the lane, each through its own copy of this module: they share it here.
const shared = globalThis as typeof globalThis & { collabPostgresLane?: { found: Promise<Lane>; users: number } }

/** Vitest global set-up: finds or starts the server of the Postgres lane, once for the whole run. */
export async function setup(project: TestProject): Promise<void> {
  shared.collabPostgresLane ??= { found: findServer(), users: 0 }
  shared.collabPostgresLane.users += 1
  const { url, lane } = await shared.collabPostgresLane.found
  project.provide('postgresUrl', url)
  project.provide('postgresLane', lane)
  process.env['COLLAB_TEST_POSTGRES_LANE'] = lane
}

/** The last one out stops the container. */
export async function teardown(): Promise<void> {
  const lane = shared.collabPostgresLane
  if (!lane) return
  lane.users -= 1
  if (lane.users > 0) return
  delete shared.collabPostgresLane
  await (await lane.found).container?.stop()
}

/** The server of `TEST_DATABASE_URL`, or one in a container that whoever asked has to stop. */
export async function findServer(): Promise<Lane> {
  const given = process.env['TEST_DATABASE_URL']
  if (given) return { url: given, lane: 'ran on the server of TEST_DATABASE_URL' }
  const image = process.env['TEST_POSTGRES_IMAGE'] || 'postgres:17-alpine'
  try {
    const container = await new GenericContainer(image)
      .withEnvironment({ POSTGRES_USER: 'test', POSTGRES_PASSWORD: 'test', POSTGRES_DB: 'test' })
      .withExposedPorts(5432)
      .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
      .withStartupTimeout(120_000)
      .start()
    const url = `postgres://test:test@${container.getHost()}:${container.getMappedPort(5432)}/test`
    return { url, lane: `ran in a container of ${image}`, container }
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    return { url: null, lane: `did NOT run: no container of ${image} could be started (${reason})` }
  }
}
