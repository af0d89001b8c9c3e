import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { cleanEnvironment } from '@collab-etl/harness/commands'
import { nextFrom } from '@collab-etl/harness/from-child'
import type { NightOrder, NightReport } from './night-messages.ts'

/** The used part of the output of `snapshot --json`. */
export interface Document {
  readonly status: string
  /** Including retries. */
  readonly requests: number
  readonly retries: number
  readonly losses: number
  /** Missing if no run began. */
  readonly rows?: Readonly<Record<string, { inserted: number; updated: number; deleted: number }>>
}

/** A process that runs the extractor repeatedly. */
export class NightProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #stderr: string[] = []
  #stdout = ''

  private constructor(child: ChildProcess) {
    this.#child = child
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text
      if (text.endsWith('\n')) child.emit('document')
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#stderr.push(text))
  }

  static async start(directory: string): Promise<NightProcess> {
    const child = fork(join(import.meta.dirname, 'night-process.ts'), {
      cwd: directory,
      env: cleanEnvironment(),
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const started = new NightProcess(child)
    await started.#next('message')
    return started
  }

  /** Runs a command; returns the state of the process and the printed document. */
  async run(order: NightOrder): Promise<{ report: NightReport; document: Document }> {
    this.#stdout = ''
    const ended = this.#next('message')
    const printed = this.#next('document')
    this.#child.send(order)
    const [[report]] = await Promise.all([ended, printed])
    // As sent by `night-process.ts` and printed with `--json`.
    return { report: report as NightReport, document: JSON.parse(this.#stdout) as Document }
  }

  /** All of its stderr so far. */
  get stderr(): string {
    return this.#stderr.join('')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.disconnect()
    await gone
  }

  #next(event: 'message' | 'document'): Promise<unknown[]> {
    return nextFrom(this.#child, event, () => `the process of the nights ended early: ${this.stderr.slice(-2000)}`)
  }
}
