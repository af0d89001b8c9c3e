import { clearScreenDown, cursorTo, moveCursor } from 'node:readline'
import { fitText, formatClock, plainText, textWidth } from './text.ts'

/** What a line shows: a text, or a text with a bar. */
export type ProgressState = string | ProgressBar

/** A share of the work: `done` of `total`, both in the same unit; `total` may grow. */
export interface ProgressBar {
  readonly text: string
  readonly done: number
  readonly total: number
}

/** One line about work under way. It disappears at `end()`. */
export interface ProgressLine {
  /** A function is called only when the line is drawn: use one where updates are frequent. */
  update(state: ProgressState | (() => ProgressState)): void
  end(): void
}

/** Work under way, redrawn in place at the bottom of a terminal. Elsewhere nothing is shown. */
export interface Progress {
  /** Whether a terminal shows the lines; without one, events must go to the log. */
  readonly isShown: boolean
  /**
   * Adds a line below the others. A bar's elapsed time counts from here. It is drawn once the work has taken a while; with `atOnce`, now:
   * for work that keeps the process from drawing.
   */
  line(state: ProgressState, options?: { readonly atOnce?: boolean }): ProgressLine
}

/** A progress that other output can be written past. */
export interface ProgressDisplay extends Progress {
  /** Takes the lines off the screen until the next redraw. Call it before anything else is written. */
  clear(): void
  stop(): void
}

/** A stream shown on a screen of that many columns. */
export type Terminal = NodeJS.WritableStream & { readonly columns?: number }

/** Ten redraws a second look smooth and cost nothing. */
const REDRAW_MS = 100

/** Work that takes less than this is not worth a flicker. */
const FIRST_DRAW_MS = 400

/** More lines than this push earlier output off small screens. */
const MAX_LINES = 8

interface Entry {
  state: ProgressState | (() => ProgressState)
  readonly begun: number
}

/** Draws on `terminal`; `null`: draws nothing. */
export function createProgress(terminal: Terminal | null): ProgressDisplay {
  if (terminal === null) return SILENT
  const entries = new Set<Entry>()
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
    // The last column stays free: some terminals wrap when it is written to, which would leave a line behind.
    const width = Math.max(1, (terminal.columns || 80) - 1)
    const shown = [...entries].slice(0, MAX_LINES).map(({ state, begun }) => {
      return renderProgress(typeof state === 'function' ? state() : state, performance.now() - begun, width)
    })
    if (entries.size > MAX_LINES) shown.push(fitText(`… and ${entries.size - MAX_LINES} more`, width))
    for (const text of shown) terminal.write(`${text}\n`)
    drawn = shown.length
    schedule(REDRAW_MS)
  }

  function schedule(delay: number): void {
    timer = entries.size > 0 ? setTimeout(draw, delay).unref() : undefined
  }

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
    entries.clear()
    clear()
  }

  return {
    isShown: true,
    line(state, { atOnce = false } = {}) {
      const entry: Entry = { state, begun: performance.now() }
      entries.add(entry)
      if (atOnce) {
        clearTimeout(timer)
        draw()
      } else if (timer === undefined) schedule(FIRST_DRAW_MS)
      return {
        update(next) {
          entry.state = next
        },
        end() {
          entries.delete(entry)
          if (entries.size === 0) stop()
        },
      }
    },
    clear,
    stop,
  }
}

const SILENT: ProgressDisplay = {
  isShown: false,
  line: () => ({ update() {}, end() {} }),
  clear() {},
  stop() {},
}

/** Columns of the bar itself. */
const BAR = { min: 10, max: 30 }

/** An estimate from less than this is a guess. */
const ESTIMATED = { share: 0.02, milliseconds: 2000 }

/**
 * One line of at most `width` columns: `[█████─────]  50 %  0:32, 0:31 left  checking files`. The text is cut if need be,
 * the numbers never.
 */
export function renderProgress(state: ProgressState, elapsedMs: number, width: number): string {
  if (typeof state === 'string') return fitText(plainText(state), width)
  const share = state.total > 0 ? Math.min(1, Math.max(0, state.done / state.total)) : 0
  // 100 % only where all is done
  const percent = `${Math.floor(share * 100)}`.padStart(3)
  const isEstimated = share >= ESTIMATED.share && share < 1 && elapsedMs >= ESTIMATED.milliseconds
  const left = isEstimated ? `, ${formatClock((elapsedMs / share) * (1 - share))} left` : ''
  const numbers = ` ${percent} %  ${formatClock(elapsedMs)}${left}`
  const text = plainText(state.text)
  const free = width - textWidth(numbers) - textWidth(text) - '[]  '.length
  const columns = Math.min(BAR.max, Math.max(BAR.min, free))
  const filled = Math.floor(share * columns)
  return fitText(`[${'█'.repeat(filled)}${'─'.repeat(columns - filled)}]${numbers}  ${text}`, width)
}
