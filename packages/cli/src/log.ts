import { type Logger, pino } from 'pino'
import type { Secret } from './secret.ts'

export interface LogOptions {
  readonly level: string
  readonly format: 'pretty' | 'json'
  readonly colour: boolean
  /** Taken out of every line, wherever in it they stand. */
  readonly secrets: readonly Secret[]
  /** Takes one line at a time. */
  readonly write: (line: string) => void
}

/** Fields that hold secrets whatever their value. */
const REDACTED = ['token', 'access_token', 'password', 'authorization']

/** The program's log. Lines are written as they come, so that none is lost at the end. */
export async function createLog(options: LogOptions): Promise<Logger> {
  // Loaded only for a person at a terminal: cron has JSON.
  const pretty =
    options.format === 'pretty'
      ? (await import('pino-pretty')).prettyFactory({
          colorize: options.colour,
          translateTime: 'SYS:HH:MM:ss',
          ignore: 'pid,hostname',
          singleLine: true,
        })
      : undefined
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: REDACTED.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[redacted]' },
    },
    {
      write(line: string) {
        const text = pretty ? pretty(line) : line
        options.write(options.secrets.reduce((clean, secret) => secret.scrub(clean), text))
      },
    },
  )
}
