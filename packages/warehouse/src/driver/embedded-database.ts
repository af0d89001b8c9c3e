import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { serialize } from 'pg-protocol'
import { Parser } from 'pg-protocol/dist/parser.js'
import { countOf, type ReceiveRow } from './copy-rows.ts'

type ExecOptions = Parameters<PGlite['execProtocolStream']>[1]
type Answer = Awaited<ReturnType<PGlite['execProtocolStream']>>

/**
 * PGlite with the `pg` package's parser of messages: that of PGlite takes U+FEFF at the beginning of a value for a byte order mark, and leaves
 * it out of the text that it returns.
 */
export class EmbeddedDatabase extends PGlite {
  /** Opens the database in a directory, which is created if it is missing; without one, in the file system of the options. */
  static async open(directory: string | undefined, options: PGliteOptions = {}): Promise<EmbeddedDatabase> {
    const database = new EmbeddedDatabase({ ...options, ...(directory !== undefined && { dataDir: directory }) })
    await database.waitReady
    return database
  }

  /** Sends a message to Postgres, and returns those of the answer up to the first error, which is thrown. */
  override async execProtocolStream(
    message: Uint8Array,
    { syncToFs = true, throwOnError = true }: ExecOptions = {},
  ): Promise<Answer> {
    const parser = new Parser()
    const messages: unknown[] = []
    let failure: Error | undefined
    await this.execProtocolRawStream(message, {
      syncToFs,
      // the bytes are in memory that Postgres uses again
      onRawData: (bytes) =>
        parser.parse(Buffer.from(bytes), (received) => {
          if (received instanceof Error) failure ??= received
          else if (failure === undefined) messages.push(received)
        }),
    })
    if (failure !== undefined && throwOnError) throw failure
    return messages as Answer // both parsers give the messages the same names and fields
  }

  /** Runs a statement COPY … TO STDOUT, within the transaction that is open; returns the number of rows. */
  async copyRows(statement: string, receive: ReceiveRow): Promise<number> {
    const parser = new Parser()
    const waits: Promise<void>[] = []
    let failure: { readonly error: unknown } | undefined
    let count = 0
    // Postgres sends everything within the call: nothing may be thrown into it
    const take = (message: CopyMessage) => {
      if (failure !== undefined) return
      if (message instanceof Error) failure = { error: message }
      else if (message.name === 'commandComplete') count = countOf(message.text ?? '')
      else if (message.name === 'copyData' && message.chunk !== undefined) {
        const wait = receive(message.chunk)
        if (wait !== undefined) waits.push(wait)
      }
    }
    await this.execProtocolRawStream(serialize.query(statement), {
      syncToFs: false,
      onRawData: (bytes) =>
        parser.parse(Buffer.from(bytes), (message: CopyMessage) => {
          try {
            take(message)
          } catch (error) {
            failure = { error }
          }
        }),
    })
    const ends = await Promise.allSettled(waits)
    if (failure !== undefined) throw failure.error
    await Promise.all(ends.map((end) => (end.status === 'rejected' ? Promise.reject(end.reason) : undefined)))
    return count
  }
}

/** The fields of messages that matter here. */
type CopyMessage = Error | { readonly name: string; readonly chunk?: Buffer; readonly text?: string }
