import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { CliError, type Context, childEnvironment, settingsEnvironment } from '@collab-etl/cli'

/** The program itself; this file sets V8's flags before anything else loads. */
const PROGRAM = fileURLToPath(new URL('../../bin/collab-extract.js', import.meta.url))

/** How often a worker process is restarted before its place is left empty. */
const RESTARTS = 5

/** How long a worker may take to end after a signal, in milliseconds. */
const ENDING_MS = 10_000

/** The pause before a worker that ended is restarted, in milliseconds. */
const RESTART_MS = 1000

/** The worker processes that a coordinator starts on its own machine. */
export class LocalWorkers {
  readonly #context: Context
  readonly #children = new Set<ChildProcess>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #isStopped = false
  #places = 0

  constructor(context: Context, count: number) {
    this.#context = context
    this.#places = count
    for (let place = 0; place < count; place++) this.#start(RESTARTS)
  }

  /** Throws if there were workers and none is left. */
  check(count: number): void {
    if (count === 0 || this.#places > 0) return
    throw new CliError(
      'all worker processes have ended; the messages above show why. To continue, run snapshot --resume',
      {
        code: 'NO_WORKERS',
      },
    )
  }

  /** Waits until the workers end by themselves; after `withinMs`, ends the others, which return their projects to the queue. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopped = true
    for (const timer of this.#timers) clearTimeout(timer)
    const ended = Promise.all([...this.#children].map((child) => once(child, 'exit')))
    const within = (ms: number) => Promise.race([ended, sleep(ms, undefined, { ref: false })])
    await within(withinMs)
    for (const child of this.#children) child.kill('SIGTERM')
    await within(ENDING_MS)
    // one that is stopped, or stuck in the kernel, does not hear the first signal
    for (const child of this.#children) child.kill('SIGKILL')
    await within(ENDING_MS)
    for (const child of this.#children) child.unref()
  }

  #start(restarts: number): void {
    const { settings, log, progress } = this.#context
    // log lines of workers would break the progress display
    const quiet = progress.isShown && settings.logLevel === 'info' ? { COLLAB_LOG_LEVEL: 'warn' } : {}
    const config = settings.configFile === undefined ? [] : ['--config', settings.configFile]
    const child = spawn(process.execPath, [PROGRAM, 'worker', '--once', ...config], {
      // a channel that closes when this process dies
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: childEnvironment({ ...settingsEnvironment(settings), ...quiet }),
    })
    this.#children.add(child)
    const onEnd = (code: number | null, signal: string | null) => {
      this.#children.delete(child)
      if (this.#isStopped) return
      if (code === 0 && restarts === 0) return
      log.warn({ process: child.pid, code, signal }, 'a worker process ended')
      if (restarts === 0) this.#places -= 1
      else {
        const timer = setTimeout(() => {
          this.#timers.delete(timer)
          this.#start(restarts - 1)
        }, RESTART_MS)
        this.#timers.add(timer)
      }
    }
    child.once('exit', onEnd)
    // a process that could not be started has no exit
    child.once('error', (error) => {
      if (child.pid === undefined) onEnd(null, error.message)
    })
  }
}
