import type { CommentedTask, StreamName } from '@collab-etl/contract/streams'
import type { Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import {
  type AcceptedPlace,
  type AcceptedRow,
  type DecidedRun,
  deleteAccepted,
  readAccepted,
  writeAccepted,
} from './accepted.ts'
import {
  readAccounts,
  readAccountsOf,
  readLastAccounts,
  readProjectAccounts,
  readReaders,
  readTeamAccounts,
  requireAccounts,
} from './accounts.ts'
import { readCapabilities } from './capabilities.ts'
import { countKnownPosts, readCoverage, readEventsOutside, readOutsideReadings } from './coverage.ts'
import { type EndedRun, type FollowOptions, followRuns } from './ended-runs.ts'
import { insertKnownRows, readKnownIds } from './known.ts'
import { countLosses, readLeftOutFields, readLosses, readUnreadItems } from './losses.ts'
import { readArchivedChange, readItemReadings, readListReadings, readUnarchivedTasks } from './readings.ts'
import { readRereads } from './rereads.ts'
import { readRunChanges } from './run-changes.ts'
import { readFinishedRun, readFirstRunAt, readOldestReading, readRun, readRuns } from './runs.ts'
import { readTaskCommentReadings } from './task-comments.ts'
import type { KnownKind, KnownRow, RunChangesLimits } from './types.ts'

/** Rows of a time, of some streams. */
interface OfStreams {
  /** Default: now. */
  readonly asOf?: Date | undefined
  readonly streams: readonly StreamName[]
}

/** What runs read, and when: the run log, and the ids that are known. */
export class RunLog {
  readonly #driver: Driver
  readonly #schema: SchemaNames

  constructor(driver: Driver, schema: SchemaNames) {
    this.#driver = driver
    this.#schema = schema
  }

  /** The latest runs, newest first. */
  runs(limit: number) {
    return readRuns(this.#driver, this.#schema, limit)
  }

  /** One run with its scopes and losses, by its id or a unique prefix of it; `null` if there is none. */
  run(runId: string) {
    return readRun(this.#driver, this.#schema, runId)
  }

  /** What a run changed by project, and since when its incomplete scopes are incomplete; `null` if there is no such run. */
  runChanges(runId: string, limits: RunChangesLimits) {
    return readRunChanges(this.#driver, this.#schema, runId, limits)
  }

  /**
   * The latest run that `succeeded` or was `partial`; with `at`, the latest that began by then; with `coversAll`, the
   * latest that was asked for all projects and all streams.
   */
  lastFinishedRun(at?: Date, options?: { readonly coversAll?: boolean }) {
    return readFinishedRun(this.#driver, this.#schema, at, options)
  }

  /** Start of the first run that `succeeded` or was `partial`, as ISO text; `null` if there is none. */
  firstRunAt() {
    return readFirstRunAt(this.#driver, this.#schema)
  }

  /**
   * Calls `work` for each run that has ended, in the order in which they began, until the signal aborts or it returns `false`. If the
   * connection breaks, `work` is called again for the run that was not done. Postgres only.
   */
  followRuns(options: FollowOptions, work: (run: EndedRun) => Promise<boolean>) {
    return followRuns(this.#driver, this.#schema, options, work)
  }

  /** Start of the oldest among the last complete readings of these scopes; `null` if none was read. */
  oldestReading(pids: readonly string[], streams: readonly StreamName[]) {
    return readOldestReading(this.#driver, this.#schema, pids, streams)
  }

  /** The live events of live projects outside a range: those that end before it or start after it. */
  eventsOutside(range: { readonly from: Date; readonly to: Date }, confirmedSince: Date) {
    return readEventsOutside(this.#driver, this.#schema, range, confirmedSince)
  }

  /** The live events of a project outside a range that do not recur, those first that the service was not asked for, or longest ago. */
  outsideReadings(pid: string, range: { readonly from: Date; readonly to: Date }) {
    return readOutsideReadings(this.#driver, this.#schema, pid, range)
  }

  /** How the rows of a time (default: now) were read, scope by scope. */
  coverage({ asOf }: Pick<OfStreams, 'asOf'> = {}) {
    return readCoverage(this.#driver, this.#schema, asOf)
  }

  /** The conversion issues of the rows of a time: those of the reading that each scope's rows are from. */
  losses(options: OfStreams) {
    return readLosses(this.#driver, this.#schema, options)
  }

  /** How many conversion issues a run listed, by kind. */
  countLosses(runId: string) {
    return countLosses(this.#driver, this.#schema, runId)
  }

  /** The fields that the records of a run came without, by scope. */
  leftOutFields(runId: string) {
    return readLeftOutFields(this.#driver, this.#schema, runId)
  }

  /** Items that could not be read in the readings that the rows of a time are from. */
  unreadItems(options: OfStreams) {
    return readUnreadItems(this.#driver, this.#schema, options)
  }

  /** How many posts were known at a time (default: now), by project. */
  countKnownPosts({ asOf }: Pick<OfStreams, 'asOf'> = {}) {
    return countKnownPosts(this.#driver, this.#schema, asOf)
  }

  /** Scopes in which a comparison found differences, not repaired since: the next run that reads one compares every value of it. */
  scopesToReread() {
    return readRereads(this.#driver, this.#schema)
  }

  /**
   * Ids of posts or files of a project that were discovered at any time, and those that are stored and live, in order; with each, whether
   * it is worth requesting now.
   */
  knownIds(kind: KnownKind, pid: string) {
    return readKnownIds(this.#driver, this.#schema, kind, pid)
  }

  /** Adds ids to be read by the next run; known ones keep their source. */
  addKnown(rows: readonly KnownRow[]) {
    return insertKnownRows(this.#driver, this.#schema, rows)
  }

  /** The stored posts or files of a project by id, with the times that decide when they are read again. */
  itemReadings(kind: KnownKind, pid: string) {
    return readItemReadings(this.#driver, this.#schema, kind, pid)
  }

  /**
   * Of these tasks of a project, in their order, those that have comments or stored ones, each with the time at which they were last read while
   * the task showed the same number of comments and time of update. For up to a few thousand tasks at once.
   */
  taskCommentReadings(pid: string, tasks: readonly CommentedTask[]) {
    return readTaskCommentReadings(this.#driver, this.#schema, pid, tasks)
  }

  /** What runs of this service found out last about operations that it need not offer, by operation; `null` if none tried any. */
  lastCapabilities(baseUrl: string) {
    return readCapabilities(this.#driver, this.#schema, baseUrl)
  }

  /** All accounts that ever took part and were not forgotten. */
  accounts() {
    return readAccounts(this.#driver, this.#schema)
  }

  /** Which of these accounts ever listed which project. */
  projectAccounts() {
    return readProjectAccounts(this.#driver, this.#schema)
  }

  /** Throws `NO_ACCOUNT`, with the known names, if one of these was in no run. */
  requireAccounts(names: readonly string[]) {
    return requireAccounts(this.#driver, this.#schema, names)
  }

  /** The token's owner of each account in the last run of this service that knew it; not of accounts that were forgotten. */
  lastAccounts(baseUrl: string) {
    return readLastAccounts(this.#driver, this.#schema, baseUrl)
  }

  /** Known accounts that may have shown teams that are stored; not those that were forgotten. */
  teamAccounts(baseUrl: string) {
    return readTeamAccounts(this.#driver, this.#schema, baseUrl)
  }

  /** The account that read each project last, by a time (default: now); without projects that only an account without a name read. */
  readers({ asOf }: Pick<OfStreams, 'asOf'> = {}) {
    return readReaders(this.#driver, this.#schema, asOf)
  }

  /** The accounts of a run; `null` if it has not noted them. */
  accountsOf(runId: string) {
    return readAccountsOf(this.#driver, this.#schema, runId)
  }

  /** All known failures that were accepted, also those whose acceptance has ended. */
  acceptedFailures() {
    return readAccepted(this.#driver, this.#schema)
  }

  /** Accepts a known failure, in place of an earlier acceptance of the same, and stores what that changes about a finished run. */
  accept(row: AcceptedRow, run: DecidedRun) {
    return writeAccepted(this.#driver, this.#schema, row, run)
  }

  /** Takes an acceptance back, and stores what that changes about a finished run. */
  endAcceptance(place: AcceptedPlace, run: DecidedRun | null) {
    return deleteAccepted(this.#driver, this.#schema, place, run)
  }

  /** When each list was last read completely, and whether a later attempt failed. A lack of request budget is no failure. */
  listReadings() {
    return readListReadings(this.#driver, this.#schema)
  }

  /** Time of the last change of any archived task of a project: its update, the end of a superseded version, or its deletion. */
  archivedChangedAt(pid: string) {
    return readArchivedChange(this.#driver, this.#schema, pid)
  }

  /** Ids of the live tasks of a project that are stored as not archived. */
  unarchivedTasks(pid: string) {
    return readUnarchivedTasks(this.#driver, this.#schema, pid)
  }
}
