import { type Logger, pino } from 'pino'
import type { Secret } from './secret.ts'
import { plainText } from './text.ts'

export interface LogOptions {
  readonly level: string
  readonly format: 'pretty' | 'json'
  readonly colour: boolean
  /** Removed from every line. */
  readonly secrets: readonly Secret[]
  /** Takes one entry at a time, with its line end. */
  readonly write: (text: string) => void
}

const REDACTED = ['token', 'access_token', 'password', 'authorization']

/** The program's log. Entries are written at once, so that none is lost at the end. */
export function createLog(options: LogOptions): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: REDACTED.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[redacted]' },
    },
    {
      write(line: string) {
        const text = options.format === 'pretty' ? readable(line, options.colour) : line
        options.write(options.secrets.reduce((clean, secret) => secret.scrub(clean), text))
      },
    },
  )
}

/** Words and colours of the levels for a person. `info` needs neither. */
const LEVELS: Readonly<Record<string, { readonly word: string; readonly colour: number }>> = {
  fatal: { word: 'fatal: ', colour: 31 },
  error: { word: 'error: ', colour: 31 },
  warn: { word: 'warning: ', colour: 33 },
  info: { word: '', colour: 0 },
  debug: { word: 'debug: ', colour: 90 },
  trace: { word: 'trace: ', colour: 90 },
}

const ONE_LINE_LEVELS: ReadonlySet<string> = new Set(['error', 'warn', 'info'])

/** A JSON line as a person reads it: `12:00:01 warning: message (reason: EACCES)`. A stack trace follows on lines of its own. */
function readable(line: string, colour: boolean): string {
  const { level, time, msg = '', stack, ...fields } = JSON.parse(line) as Record<string, unknown> // one of pino's lines
  const { word, colour: code } = LEVELS[String(level)] ?? { word: `${level}: `, colour: 0 }
  const message = plainText(String(msg))
  const details = Object.entries(fields)
    .filter(([name]) => name !== 'run_id' || !ONE_LINE_LEVELS.has(String(level)))
    .map(([name, value]) => [name, plainText(typeof value === 'string' ? value : JSON.stringify(value))] as const)
    // what the message quotes is not repeated
    .filter(([, value]) => !(ONE_LINE_LEVELS.has(String(level)) && message.includes(value)))
    .map(([name, value]) => `${name}: ${value}`)
  const shownWord = colour && code !== 0 ? `\u001b[${code}m${word}\u001b[39m` : word
  const at = new Date(String(time)).toTimeString().slice(0, 'HH:MM:SS'.length)
  const trace = typeof stack === 'string' ? stack.split('\n').map((text) => `\n    ${plainText(text)}`) : []
  return `${at} ${shownWord}${message}${details.length === 0 ? '' : ` (${details.join(', ')})`}${trace.join('')}\n`
}
