import { clearScreenDown, cursorTo, moveCursor } from 'node:readline'
import { fitText, plainText } from './text.ts'

/** One line of what is under way; gone after `end()`. */
export interface ProgressLine {
  /** A function is asked when the line is drawn: who has much to tell often need not put it into words each time. */
  update(text: string | (() => string)): void
  end(): void
}

/** What is under way, redrawn in place at the bottom of a terminal; silent everywhere else. */
export interface Progress {
  line(text: string): ProgressLine
}

/** A progress that other output can be written past. */
export interface ProgressDisplay extends Progress {
  /** Takes the lines off the screen until the next redraw; to be called before anything else is written. */
  clear(): void
  stop(): void
}

/** A stream that shows what is written to it on a screen of so many columns. */
export type Terminal = NodeJS.WritableStream & { readonly columns?: number }

/** Ten redraws a second look smooth, and cost nothing. */
const REDRAW_MS = 100

/** What is over sooner than this is not worth a flicker. */
const FIRST_DRAW_MS = 400

/** More lines than this push what was printed off small screens. */
const MAX_LINES = 8

/** `terminal` is `null` where nothing is to be drawn. */
export function createProgress(terminal: Terminal | null): ProgressDisplay {
  if (terminal === null) return SILENT
  const lines = new Set<{ text: string | (() => string) }>()
  let drawn = 0
  let timer: NodeJS.Timeout | undefined

  function clear(): void {
    if (terminal === null || drawn === 0) return
    moveCursor(terminal, 0, -drawn)
    cursorTo(terminal, 0)
    clearScreenDown(terminal)
    drawn = 0
  }

  function draw(): void {
    if (terminal === null) return
    clear()
    const shown = [...lines].slice(0, MAX_LINES).map(({ text }) => (typeof text === 'string' ? text : text()))
    if (lines.size > MAX_LINES) shown.push(`… and ${lines.size - MAX_LINES} more`)
    // The last column stays free: some terminals wrap when it is written to, which would leave a line behind.
    const width = Math.max(1, (terminal.columns || 80) - 1)
    for (const text of shown) terminal.write(`${fitText(plainText(text), width)}\n`)
    drawn = shown.length
    schedule(REDRAW_MS)
  }

  function schedule(delay: number): void {
    timer = lines.size > 0 ? setTimeout(draw, delay).unref() : undefined
  }

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
    lines.clear()
    clear()
  }

  return {
    line(text) {
      const entry: { text: string | (() => string) } = { text }
      lines.add(entry)
      if (timer === undefined) schedule(FIRST_DRAW_MS)
      return {
        update(next) {
          entry.text = next
        },
        end() {
          lines.delete(entry)
          if (lines.size === 0) stop()
        },
      }
    },
    clear,
    stop,
  }
}

const SILENT: ProgressDisplay = {
  line: () => ({ update() {}, end() {} }),
  clear() {},
  stop() {},
}
