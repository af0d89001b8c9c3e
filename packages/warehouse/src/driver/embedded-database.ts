import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { serialize } from 'pg-protocol'
import { Parser } from 'pg-protocol/dist/parser.js'
import { countOf, type ReceiveRow } from './copy-rows.ts'
import { StartError } from './embedded-error.ts'
import { OwnedFiles } from './owned-files.ts'

type ExecOptions = Parameters<PGlite['execProtocolStream']>[1]
type Answer = Awaited<ReturnType<PGlite['execProtocolStream']>>

/**
 * PGlite with the `pg` package's parser of messages: that of PGlite takes U+FEFF at the beginning of a value for a byte order mark, and leaves
 * it out of the text that it returns.
 */
export class EmbeddedDatabase extends PGlite {
  /** Why Postgres stopped in the middle of a statement. Since then its memory is in an unknown state. */
  #failure: Error | null = null

  /**
   * Opens the database in a directory, which must exist; makes one in an empty directory.
   * @throws StartError if Postgres says why it cannot start
   */
  static async open(directory: string, options: PGliteOptions = {}): Promise<EmbeddedDatabase> {
    let said: string | undefined
    const onStderr = (line: string) => {
      said = /(?:FATAL|PANIC): +(.*)/.exec(line)?.[1] ?? said
      return false
    }
    const database = new EmbeddedDatabase({ ...options, fs: new OwnedFiles(directory), onStderr })
    try {
      await database.waitReady
    } catch (error) {
      throw said === undefined ? error : new StartError(said, { cause: error })
    }
    database.#watch()
    return database
  }

  /** PGlite ignores all exceptions of WebAssembly except Postgres's own errors: a stack overflow would look like an answer without rows. */
  #watch(): void {
    const module: WatchedModule = this.Module
    const { _PostgresMainLoopOnce, stackRestore, _pgl_pq_flush, _PostgresSendReadyForQueryIfNecessary } = module
    const ifIntact = (work: () => void) => () => {
      if (this.#failure === null) work()
    }
    module._PostgresMainLoopOnce = () => {
      try {
        _PostgresMainLoopOnce()
      } catch (error) {
        const isOfPostgres = error instanceof Object && 'status' in error && error.status === ERROR_STATUS
        if (!isOfPostgres) this.#failure ??= stoppedError(error)
        throw error
      }
    }
    // PGlite calls it before it looks at the error
    module.stackRestore = (pointer) => {
      stackRestore(pointer)
      if (this.#failure !== null) throw this.#failure
    }
    // after a stop, the rest in Postgres's buffer must not reach the caller as an answer
    module._pgl_pq_flush = ifIntact(_pgl_pq_flush)
    module._PostgresSendReadyForQueryIfNecessary = ifIntact(_PostgresSendReadyForQueryIfNecessary)
  }

  /** @throws Error `RuntimeError` if Postgres stopped, now or before */
  override execProtocolRawSync(message: Uint8Array): Uint8Array {
    if (this.#failure !== null) throw this.#failure
    return super.execProtocolRawSync(message)
  }

  /** A Postgres that stopped must not write its memory: whoever opens the files next recovers them from the log, as after a kill. */
  override async close(): Promise<void> {
    if (this.#failure === null) await super.close()
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

/** Exit status with which Postgres leaves a statement to handle an error of its own. */
const ERROR_STATUS = 100

/** The functions of the WebAssembly module that PGlite calls. */
interface WatchedModule {
  _PostgresMainLoopOnce: () => void
  _PostgresSendReadyForQueryIfNecessary: () => void
  _pgl_pq_flush: () => void
  stackRestore: (pointer: number) => void
}

function stoppedError(cause: unknown): Error {
  const isOverflow = cause instanceof RangeError
  const reason = isOverflow
    ? 'a statement is nested too deeply'
    : cause instanceof Error
      ? cause.message
      : String(cause)
  return Object.assign(new Error(reason, { cause }), { name: 'RuntimeError' })
}
