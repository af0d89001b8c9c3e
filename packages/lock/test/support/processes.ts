import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A line that `holder.ts` prints. */
export interface Report {
  readonly taken?: boolean
  readonly held?: boolean
  readonly message?: string
}

/** A process that tries to take a lock and keeps it. */
export class Holder implements AsyncDisposable {
  readonly process: ChildProcess
  readonly #lines: AsyncIterator<string>

  /** @param through words before the command, e.g. `unshare` */
  constructor(path: string, options: { through?: readonly string[]; mode?: string } = {}) {
    const script = join(import.meta.dirname, 'holder.ts')
    const words = [...(options.through ?? []), process.execPath, script, path, ...(options.mode ? [options.mode] : [])]
    const [program = '', ...args] = words
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.process = child
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  }

  async report(): Promise<Report> {
    const line = await this.#lines.next()
    if (line.done) throw new Error('the process ended without output')
    return JSON.parse(line.value)
  }

  async check(): Promise<Report> {
    this.process.stdin?.write('check\n')
    return await this.report()
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL')
    await this.#ended()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.stdin?.end()
    await this.#ended()
  }

  async #ended(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'exit')
  }
}

/** Starts a command in a new PID namespace with its own `/proc`, like a container, and the host's name. */
export const OTHER_NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']
