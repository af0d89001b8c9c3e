import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { Parser } from 'pg-protocol/dist/parser.js'

type ExecOptions = Parameters<PGlite['execProtocolStream']>[1]
type Answer = Awaited<ReturnType<PGlite['execProtocolStream']>>

/**
 * PGlite with the `pg` package's parser of messages: that of PGlite takes U+FEFF at the beginning of a value for a byte order mark, and leaves
 * it out of the text that it returns.
 */
export class EmbeddedDatabase extends PGlite {
  /** Opens the database in a directory, which is created if it is missing. */
  static async open(directory: string, options: PGliteOptions = {}): Promise<EmbeddedDatabase> {
    const database = new EmbeddedDatabase(directory, options)
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
}
