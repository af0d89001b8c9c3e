import type { ScopeStatus, StreamName } from '@collab-etl/contract/streams'
import { TABLES } from '../../src/tables/index.ts'
import type { Table } from '../../src/tables/table.ts'
import type { State } from './history-rows.ts'

const STORED: ReadonlySet<ScopeStatus> = new Set(['complete', 'drifted', 'refused'])

interface Word {
  status: ScopeStatus
  records: number
  waiting: number
}

/** What the runs before have said of each scope, as far as it decides how many rows may go. */
export class ModelRunLog {
  /** Of the current run. */
  #own = new Map<string, Word>()
  /** Scopes whose last run that stored rows of them could not mark any deleted. */
  readonly #unsettled = new Set<string>()
  readonly #refused = new Set<string>()
  readonly #lastRead = new Map<string, number>()
  readonly #ended: { readonly before: State; readonly own: ReadonlyMap<string, Word> }[] = []
  /** How many of these began before the last run that finished had ended. */
  #finished = 0
  #before: State = new Map()

  /** The live rows when the current run began. */
  get before(): State {
    return this.#before
  }

  /** A scope that is read again within a run adds to what was said. */
  add(pid: string | null, stream: StreamName, status: ScopeStatus, records: number, waiting: number): void {
    const place = placeOf(pid, stream)
    const said = this.#own.get(place)
    this.#own.set(place, {
      status: said === undefined || said.status === 'complete' ? status : said.status,
      records: (said?.records ?? 0) + records,
      waiting: (said?.waiting ?? 0) + waiting,
    })
  }

  endRun(finished: boolean, after: State): void {
    this.#ended.push({ before: this.#before, own: this.#own })
    if (finished) this.#finished = this.#ended.length
    this.#before = after
    for (const [place, { status, records }] of this.#own) {
      if (status === 'failed' || status === 'skipped' || status === 'carried') continue
      if (status === 'refused') this.#refused.add(place)
      const couldDelete = (each: string) =>
        this.#own.get(each)?.status === 'complete' && this.#own.get(each)?.waiting === 0
      if (couldDelete(place) && besides(place).every(couldDelete)) {
        this.#lastRead.set(place, records)
        this.#unsettled.delete(place)
      } else {
        this.#unsettled.add(place)
      }
    }
    this.#own = new Map()
  }

  /** What lived when the first run began that read the scopes and could not delete, since the last one that could. */
  beforeUndecided(pid: string | null, { name, deletedBy }: Table, streams: readonly StreamName[]): State | null {
    // where rows of lists wait, none is marked; beside waiting comments and events, others are
    const mayWait = deletedBy === 'absence' && name !== 'events'
    const words = (own: ReadonlyMap<string, Word>) =>
      streams.flatMap((stream) => own.get(placeOf(pid, stream)) ?? []).filter(({ status }) => STORED.has(status))
    const isDecided = (own: ReadonlyMap<string, Word>) =>
      words(own).length === streams.length &&
      words(own).every(({ status, waiting }) => status === 'complete' && !(mayWait && waiting > 0))
    const last = this.#ended.findLastIndex(({ own }, index) => index < this.#finished && isDecided(own))
    const undecided = this.#ended.slice(last + 1).filter(({ own }) => words(own).length > 0)
    return undecided[last < 0 ? 1 : 0]?.before ?? null
  }

  comparableRows(pid: string | null, stream: StreamName, live: number): number {
    const place = placeOf(pid, stream)
    if (!this.#unsettled.has(place)) return live
    return Math.min(live, this.#lastRead.get(place) ?? (this.#refused.has(place) ? 0 : live))
  }
}

function placeOf(pid: string | null, stream: StreamName): string {
  return `${stream} ${pid ?? ''}`
}

/** The scopes of a project that must be complete, all of them, before records of one are marked deleted. */
function besides(place: string): string[] {
  const [stream, pid] = place.split(' ')
  const table = TABLES.find(({ isRecord, streams }) => isRecord === true && streams.some((each) => each === stream))
  return (table?.streams ?? []).map((each) => `${each} ${pid}`)
}
