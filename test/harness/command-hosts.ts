import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { oncePerRun } from './once-per-run.ts'

/** A command to run in a process that has run others before. */
export interface Job {
  readonly program: { readonly command: string; readonly main: string }
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

export interface JobResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Hosts that wait for their next command: one for each worker. More are started when more commands run at once. */
const IDLE_HOSTS = 3
/** A host that uses more memory is replaced. */
const MEMORY_BYTES = 1.5e9

/** A process that runs one command after the other: its modules are loaded and the embedded Postgres is compiled once. */
class CommandHost {
  readonly #paths: readonly [stdout: string, stderr: string]
  readonly #files: readonly [stdout: number, stderr: number]
  readonly #process: ChildProcess
  #memory = 0

  constructor(directory: string, number: number) {
    this.#paths = [join(directory, `${number}.stdout`), join(directory, `${number}.stderr`)]
    const [stdout, stderr] = this.#paths
    this.#files = [openSync(stdout, 'a'), openSync(stderr, 'a')]
    this.#process = fork(join(import.meta.dirname, 'command-host.ts'), {
      stdio: ['ignore', ...this.#files, 'ipc'],
      execArgv: ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'],
    })
  }

  async run(job: Job): Promise<JobResult> {
    for (const file of this.#files) ftruncateSync(file)
    this.#process.send(job)
    const over = new AbortController()
    const ended = await Promise.race([
      once(this.#process, 'message', { signal: over.signal }).then(([{ code, memory }]) => {
        this.#memory = memory
        return { code, signal: null }
      }),
      once(this.#process, 'exit', { signal: over.signal }).then(([code, signal]) => ({ code, signal })),
    ])
    over.abort()
    const [stdout = '', stderr = ''] = this.#paths.map((path) => readFileSync(path, 'utf8'))
    return { ...ended, stdout, stderr }
  }

  get isUsable(): boolean {
    return this.#process.connected && this.#memory < MEMORY_BYTES
  }

  close(): void {
    this.#process.kill()
    for (const file of this.#files) closeSync(file)
  }
}

interface Pool {
  readonly server: Server
  readonly directory: string
  readonly idle: CommandHost[]
}

const pool = oncePerRun('command hosts', openPool, async ({ server, directory, idle }) => {
  server.close()
  for (const host of idle) host.close()
  await rm(directory, { recursive: true, force: true })
})

/** Vitest global set-up: tests reach the hosts by the socket named in `COLLAB_TEST_COMMAND_HOSTS`. */
export async function setup(): Promise<void> {
  const { directory } = await pool.take()
  process.env['COLLAB_TEST_COMMAND_HOSTS'] = join(directory, 'socket')
}

export async function teardown(): Promise<void> {
  await pool.leave()
}

async function openPool(): Promise<Pool> {
  const directory = await mkdtemp(join(tmpdir(), 'collab-hosts-'))
  const idle: CommandHost[] = []
  let hosts = 0
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    socket.on('error', () => {}) // a test ended the program that waits for the result
    const job = (await json(socket)) as Job // sent by `runInHost`
    let host = idle.pop()
    while (host !== undefined && !host.isUsable) {
      host.close()
      host = idle.pop()
    }
    host ??= new CommandHost(directory, hosts++)
    socket.end(JSON.stringify(await host.run(job)))
    if (host.isUsable && idle.length < IDLE_HOSTS) idle.push(host)
    else host.close()
  })
  server.listen(join(directory, 'socket'))
  await once(server, 'listening')
  return { server, directory, idle }
}
