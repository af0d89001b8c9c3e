import { Interrupted } from './errors.ts'

export interface SignalWatch extends Disposable {
  /** Aborted on the first SIGINT, SIGTERM, or closing of the terminal; its reason is an `Interrupted`. */
  readonly signal: AbortSignal
}

/**
 * One Ctrl-C may arrive twice: from the terminal, and from npm or another parent process. Signals closer than this are one.
 */
const SAME_SIGNAL_MS = 300

/**
 * The first signal asks the command to stop, a second one ends the process at once.
 * @param onFirst confirms the signal to the user
 * @param onSecond cleans up the screen
 */
export function watchSignals(onFirst: (interruption: Interrupted) => void, onSecond: () => void): SignalWatch {
  const controller = new AbortController()
  let first = 0

  function handle(name: 'SIGINT' | 'SIGTERM'): void {
    const interruption = new Interrupted(name)
    if (controller.signal.aborted) {
      if (performance.now() - first < SAME_SIGNAL_MS) return
      onSecond()
      process.exit(interruption.exitCode)
    }
    first = performance.now()
    onFirst(interruption)
    controller.abort(interruption)
  }

  // The terminal was closed. Whoever started the program with nohup has redirected all three streams, and wants it to continue.
  const handleHangup = () => handle('SIGTERM')
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  process.on('SIGINT', handle)
  process.on('SIGTERM', handle)
  if (hasTerminal) process.on('SIGHUP', handleHangup)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off('SIGINT', handle)
      process.off('SIGTERM', handle)
      process.off('SIGHUP', handleHangup)
    },
  }
}
