import { setImmediate } from 'node:timers/promises'
import { CliError, type Context, EXIT } from '@collab-etl/cli'
import { CHANGED_AT, type FeedPoint, isSamePoint, type Warehouse } from '@collab-etl/warehouse'
import type { Selected } from './catalog.ts'
import { recordSchema } from './schema.ts'
import type { Bookmark, State } from './state.ts'

export interface SyncOptions {
  readonly selected: readonly Selected[]
  readonly state: State
  /** Streams without a bookmark: only changes from this time; `null`: all records. */
  readonly startDate: Date | null
}

type SyncContext = Pick<Context, 'stdout' | 'log' | 'signal'>

/**
 * Writes the records of each stream as the last run that has ended left them, and its state after them.
 * @throws CliError if the state is of another warehouse, no run has ended, or stdout was closed
 */
export async function sync(context: SyncContext, warehouse: Warehouse, options: SyncOptions): Promise<void> {
  const { point, underWay } = await warehouse.rows.feedState()
  if (point === null) {
    const advice =
      underWay === null ? 'run collab-extract snapshot first' : `run ${underWay} is under way: sync again later`
    throw new CliError(`no run of schema ${warehouse.schema} in ${warehouse.location} has ended: ${advice}`, {
      exitCode: EXIT.usage,
      code: 'NO_RUN',
    })
  }
  if (underWay !== null) context.log.info(`run ${underWay} is under way: a later sync sends its changes`)
  for (const bookmark of bookmarksOf(options)) await requireKnown(warehouse, bookmark)
  const writer = new Writer(context)
  // targets report the first state that they get as stored, before they store any record
  await writer.message({ type: 'STATE', value: options.state })
  for (const stream of options.selected) await syncStream(writer, warehouse, { ...options, stream, point })
  await writer.end()
}

function bookmarksOf({ selected, state }: SyncOptions): FeedPoint[] {
  const points = selected.flatMap(({ table }) => state.bookmark(table.name)?.point ?? [])
  return [...new Map(points.map((point) => [JSON.stringify(point), point])).values()]
}

/** Refuses a state of another warehouse, or of one restored from an older backup: the changes since then are not known. */
async function requireKnown(warehouse: Warehouse, point: FeedPoint): Promise<void> {
  const stored = await warehouse.rows.feedPoint(point.runId)
  if (stored !== null && isSamePoint(stored, point)) return
  const what = stored === null ? 'is not there, or has not ended' : 'has other times there'
  throw new CliError(
    `the state is of run ${point.runId}, which ${what} (schema ${warehouse.schema} in ${warehouse.location}): ` +
      'the warehouse was replaced or restored; empty the tables of the target and sync without --state',
    { exitCode: EXIT.usage, code: 'STATE' },
  )
}

interface StreamSync extends SyncOptions {
  readonly stream: Selected
  readonly point: FeedPoint
}

async function syncStream(writer: Writer, warehouse: Warehouse, options: StreamSync): Promise<void> {
  const { stream, state, point } = options
  const { table, fields, isFull } = stream
  const bookmark = usableBookmark(writer, warehouse, options)
  await writer.message({
    type: 'SCHEMA',
    stream: table.name,
    schema: recordSchema(table, fields),
    key_properties: table.key,
    ...(!isFull && { bookmark_properties: [CHANGED_AT.name] }),
  })
  const isDone = bookmark !== undefined && Date.parse(bookmark.point.startedAt) >= Date.parse(point.startedAt)
  const count = isDone ? 0 : await writer.records(warehouse, { ...options, since: sinceOf(options, bookmark) })
  if (!isFull && !isDone) state.set(table.name, { point, schemaVersion: warehouse.supportedVersion, fields })
  await writer.message({ type: 'STATE', value: state })
  writer.metric(table.name, count)
}

/** `undefined`: all records are to be sent. */
function usableBookmark(
  { log }: Writer,
  { supportedVersion }: Warehouse,
  { stream: { table, fields, isFull }, state }: StreamSync,
): Bookmark | undefined {
  const bookmark = state.bookmark(table.name)
  if (isFull || bookmark === undefined) return undefined
  const added = fields.filter((field) => !bookmark.fields.includes(field))
  if (added.length === 0 && bookmark.schemaVersion === supportedVersion) return bookmark
  const why = added.length > 0 ? `new fields: ${added.join(', ')}` : 'the warehouse was upgraded'
  log.info(`${table.name}: all records are sent again (${why})`)
  return undefined
}

function sinceOf({ stream, startDate }: StreamSync, bookmark: Bookmark | undefined): string | undefined {
  if (bookmark !== undefined) return bookmark.point.startedAt
  if (stream.isFull || startDate === null) return undefined
  // the bound is excluded, and runs begin at whole milliseconds
  return new Date(startDate.getTime() - 1).toISOString()
}

/** Writes messages to stdout, each only once the reader has taken those before it. */
class Writer {
  readonly log: Context['log']
  readonly #stdout: Context['stdout']
  readonly #signal: AbortSignal
  /** Why nothing more may be written. */
  #stopped: unknown

  constructor({ stdout, log, signal }: SyncContext) {
    this.#stdout = stdout
    this.log = log
    this.#signal = signal
  }

  async message(message: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#write(`${JSON.stringify(message)}\n`)
  }

  /** Returns the number of records. */
  async records(
    warehouse: Warehouse,
    { stream: { table, fields }, point, since }: StreamSync & { readonly since: string | undefined },
  ): Promise<number> {
    const before = `{"type":"RECORD","stream":${JSON.stringify(table.name)},"record":`
    const after = `,"time_extracted":${JSON.stringify(new Date().toISOString())}}`
    const options = { table: table.name, columns: fields, since, until: point, before, after }
    try {
      return await warehouse.rows.feed(options, (lines) => this.#write(lines))
    } catch (error) {
      // the warehouse reports it as a failure of its own
      throw this.#stopped ?? error
    }
  }

  /** As the specification has it: numbers of records, for programs that read the log. */
  metric(stream: string, count: number): void {
    const metric = { type: 'counter', metric: 'record_count', value: count, tags: { endpoint: stream } }
    this.log.info(`METRIC: ${JSON.stringify(metric)}`)
  }

  /** A failure of the last message may be reported after it. */
  async end(): Promise<void> {
    await setImmediate()
    this.#requireReader()
  }

  async #write(lines: string | Buffer): Promise<void> {
    this.#requireReader()
    await this.#stdout.write(lines)
    this.#requireReader()
  }

  #requireReader(): void {
    if (this.#signal.aborted) this.#stopped = this.#signal.reason
    else if (this.#stdout.isClosed) {
      this.#stopped = new CliError(
        'stdout was closed before everything was written: the target has ended, its log says why',
        { code: 'OUTPUT' },
      )
    }
    if (this.#stopped !== undefined) throw this.#stopped
  }
}
