import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers'

/** Mounts a small directory in memory into the server. */
export const SMALL_FOLDER = '/small'

/** A Postgres server used by one fault only. */
export class OwnServer implements AsyncDisposable {
  readonly #container: StartedTestContainer

  private constructor(container: StartedTestContainer) {
    this.#container = container
  }

  /** Fails if no container engine is running, because these faults cannot be injected then. */
  static async start({ maxConnections }: { readonly maxConnections: number }): Promise<OwnServer> {
    const container = await new GenericContainer(process.env['TEST_POSTGRES_IMAGE'] || 'postgres:17-alpine')
      .withEnvironment({ POSTGRES_USER: 'test', POSTGRES_PASSWORD: 'test', POSTGRES_DB: 'test' })
      .withCommand(['postgres', '-c', `max_connections=${maxConnections}`])
      .withTmpFs({ [SMALL_FOLDER]: 'rw,mode=777,size=96m' })
      .withExposedPorts(5432)
      .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
      .withStartupTimeout(120_000)
      .start()
    return new OwnServer(container)
  }

  /** Database URL of a superuser. */
  get url(): string {
    return `postgres://test:test@${this.#container.getHost()}:${this.#container.getMappedPort(5432)}/test`
  }

  /** Runs a shell command in the server's container. */
  async shell(command: string): Promise<void> {
    const { exitCode, output } = await this.#container.exec(['sh', '-c', command])
    if (exitCode !== 0) throw new Error(`${command} ended with ${exitCode}: ${output}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#container.stop()
  }
}
