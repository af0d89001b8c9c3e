import { type ScopeStatus, STREAMS, type StreamName } from '@collab-etl/contract/streams'
import type { DeletionLimits } from '../../src/publish/types.ts'
import { TABLES, tableByName } from '../../src/tables/index.ts'
import type { Table, TableName } from '../../src/tables/table.ts'
import { ModelGroups } from './history-groups.ts'
import { goneOf, type ReadRecord, recordsOf, stagedOf, withoutGone, withoutRepeated } from './history-records.ts'
import { type PlainRow, type State, versionText } from './history-rows.ts'
import { hasFewerStarts, keepArchived, keepCompletions, settleEntryNames, sharesOf } from './history-rules.ts'
import { ModelRunLog } from './history-run-log.ts'
import type { Publication, RunScript } from './history-script.ts'
import { ModelUsers } from './history-users.ts'
import { isInDoubt, isOfWholeList, ModelWaiting, withInDoubt } from './history-waiting.ts'
import { ModelWebhooks } from './history-webhooks.ts'

/** What publishing is to report. */
export interface Expected {
  readonly refused: readonly StreamName[]
  /** Streams that are not complete because their suspicious lists lack rows, and how many rows wait in each that has a warning. */
  readonly doubted: readonly StreamName[]
  readonly warnings: Readonly<Partial<Record<StreamName, number>>>
  /** Rows that are new, back or changed, and rows marked deleted. */
  readonly counts: Readonly<Record<string, { written: number; deleted: number }>>
}

/**
 * What the warehouse must hold by the promises of publishing (README of this package), worked out on plain maps; rows come from `rowsOf`.
 */
export class Model {
  readonly #live = new Map<TableName, Map<string, PlainRow>>(TABLES.map(({ name }) => [name, new Map()]))
  readonly #users = new ModelUsers(this.#tableOf('users'))
  readonly #webhooks = new ModelWebhooks(this.#tableOf('webhooks'))
  readonly #runLog = new ModelRunLog()
  readonly #waiting = new ModelWaiting()
  readonly #groups = new ModelGroups()
  /** The last version of each task, gone ones too. */
  readonly #lastTasks = new Map<string, PlainRow>()
  /** Projects that lived when the last run ended that was not broken off. */
  #projectsBefore: ReadonlySet<string> = new Set()

  publish(publication: Publication, limits: DeletionLimits): Expected {
    const { pid, streams, unsure } = publication
    const read = STREAMS.filter((stream) => isRead(statusOf(streams, stream)))
    const gone = new Map(read.map((stream) => [stream, goneOf(streams, stream)]))
    const all = withoutRepeated(
      withoutGone(
        read.flatMap((stream) => recordsOf(pid, stream, streams)),
        gone,
      ),
    )
    const { records, listed, isContradicted } = this.#groups.settle(all, publication, this.#tableOf('entries'))
    const tables = touchedBy(read)
    const deciding = (table: Table) => this.#groups.deciding(table, publication)
    const before = new Map(tables.map(({ name }) => [name, new Map(this.#tableOf(name))]))
    const staged = new Map(tables.map((table) => [table.name, stagedOf(table, records)]))
    settleEntryNames(streams, staged, listed)
    if (statusOf(streams, 'archived_tasks') !== 'complete') keepArchived(staged.get('tasks'), before.get('tasks'))
    keepCompletions(staged.get('tasks'), this.#lastTasks)
    for (const [name, rows] of staged) {
      if (name !== 'webhooks') for (const [key, row] of rows) this.#store(name, key, row)
    }
    const refused = new Set<StreamName>()
    const doubted = new Set<StreamName>()
    const held = new Set<StreamName>()
    const warnings: Partial<Record<StreamName, number>> = {}
    const mayDelete = (stream: StreamName) =>
      statusOf(streams, stream) === 'complete' && !refused.has(stream) && !doubted.has(stream)
    const isHeld = (table: Table) =>
      deciding(table).some((stream) => held.has(stream) && isOfWholeList(streams[stream]))
    const isWhole = (stream: StreamName) => statusOf(streams, stream) === 'complete'
    const judge = (table: Table) => {
      for (const stream of table.streams) {
        if (!isWhole(stream) || streams[stream]?.suspicious === undefined || refused.has(stream)) continue
        const rows = [...(before.get(table.name) ?? [])].filter(
          ([, row]) => table.name === 'webhooks' || (row['pid'] === pid && isInDoubt(table, row, streams[stream])),
        )
        const keys = table.name === 'webhooks' ? this.#webhooks.of(pid) : rows.map(([key]) => key)
        const lacking = keys.filter((key) => !staged.get(table.name)?.has(key))
        if (!table.streams.every(isWhole)) warnings[stream] = this.#waiting.count(pid, stream)
        else {
          const waiting = this.#waiting.judge(pid, stream, lacking, limits.allowShrink)
          if (waiting === null) doubted.add(stream)
          else warnings[stream] = waiting
          if (waiting !== null && waiting > 0) held.add(stream)
        }
      }
    }
    for (const table of tables) {
      const isJudged = table.isRecord === true && (table.parent !== undefined || table.deletedBy === 'absence')
      if (isJudged && table.name !== 'webhooks') judge(table)
    }
    for (const table of tables) {
      const isWebhooks = table.name === 'webhooks'
      if (!deciding(table).every(mayDelete) || (isHeld(table) && !isWebhooks)) continue
      if (isContradicted && table.name === 'entries') continue
      const isSure = (row: PlainRow) =>
        table.name !== 'events' || !held.has('events') || !isInDoubt(table, row, streams.events)
      const shares = sharesOf(table, pid, streams, gone)
      const missing = shares.map(({ stream, answersFor, isGone }) => {
        const rows = [...(before.get(table.name) ?? [])].filter(([, row]) => answersFor(row) && isSure(row))
        const stored = table.name === 'webhooks' ? this.#webhooks.of(pid) : rows.map(([key]) => key)
        const keys = stored.filter((key) => {
          const row = before.get(table.name)?.get(key)
          return (row && isGone?.(row)) ?? !staged.get(table.name)?.has(key)
        })
        const count = this.#runLog.comparableRows(pid, stream, stored.length)
        if (isWebhooks && !limits.allowShrink && keys.length > limits.maxShrink * count) refused.add(stream)
        return keys
      })
      if (table.name !== 'webhooks' && !limits.allowShrink) {
        const lived = [this.#runLog.before, this.#runLog.beforeUndecided(pid, table, deciding(table))]
        const [due, now] = [new Set(missing.flat()), before.get(table.name)]
        for (const [index, { stream, answersFor }] of shares.entries()) {
          if (missing[index]?.length === 0) continue
          const kept = [...(now ?? [])].filter(([key, row]) => answersFor(row) && isSure(row) && !due.has(key))
          const after = new Map([...kept, ...(staged.get(table.name) ?? [])])
          for (const state of lived) {
            const then = new Map(
              [...(state?.get(table.name) ?? [])].filter(([, row]) => answersFor(row) && isSure(row)),
            )
            const keys = [...then.keys()]
            const isMissing = (key: string) =>
              due.has(key) && (table.name !== 'events' || hasFewerStarts(key, then, after))
            const [lost, isDue] = [keys.filter((key) => isMissing(key) || !now?.has(key)), keys.some(isMissing)]
            if (isDue && lost.length > limits.maxShrink * keys.length) refused.add(stream)
          }
        }
      }
      if (isWebhooks) judge(table)
      if (isWebhooks || !deciding(table).every(mayDelete)) continue
      for (const key of missing.flat()) this.#tableOf(table.name).delete(key)
    }
    for (const table of tables) {
      if (
        table.name === 'entries' &&
        streams.entries === undefined &&
        deciding(table).every(mayDelete) &&
        !isHeld(table)
      ) {
        for (const [key, row] of [...this.#tableOf('entries')]) {
          if (row['pid'] === pid && !staged.get('entries')?.has(key)) this.#tableOf('entries').delete(key)
        }
      }
      this.#deleteChildren(
        table,
        pid,
        records.filter(({ stream }) => mayDelete(stream)),
        { staged, before, asked: mayDelete('task_comments') ? askedOf(streams) : [] },
        withInDoubt(table, streams, held, unsure.get(table.name)),
      )
    }
    this.#users.see(
      records.flatMap(({ stream, rows }) => {
        const table = tables.find(
          ({ isRecord, parent, streams: of }) => isRecord && (!parent || parent.readBy) && of.includes(stream),
        )
        // of the comments of tasks, no run reads all
        const isWhole = table !== undefined && !table.parent && deciding(table).every(mayDelete)
        const users = rows.filter((each) => each.table.name === 'users')
        return users.map(({ row }) => ({ user: row, place: `${table?.name} ${pid}`, isWhole }))
      }),
    )
    const hooks = staged.get('webhooks')
    if (hooks !== undefined) {
      const mayDrop = mayDelete('webhooks') && !held.has('webhooks')
      staged.set('webhooks', this.#webhooks.publish(pid, hooks, mayDrop))
    }
    for (const table of tables.filter(({ isRecord }) => isRecord === true)) {
      const came = table.name === 'webhooks' ? hooks : staged.get(table.name)
      const own = table.name === 'webhooks' ? new Set(this.#webhooks.of(pid)) : this.#tableOf(table.name)
      for (const stream of table.streams.filter((each) => streams[each] !== undefined)) {
        this.#waiting.settle(pid, table.name, stream, (key) => own.has(key) && !came?.has(key))
      }
    }
    const isListed = statusOf(streams, 'entries') === 'complete' && !refused.has('entries')
    this.#groups.note(pid, this.#tableOf('entries'), isListed)
    for (const stream of STREAMS) {
      const status = refused.has(stream) ? 'refused' : doubted.has(stream) ? 'drifted' : statusOf(streams, stream)
      const records = (streams[stream]?.batches ?? []).reduce((sum, batch) => sum + batch.records.length, 0)
      if (refused.has(stream)) delete warnings[stream]
      if (status !== null) this.#runLog.add(pid, stream, status, records, warnings[stream] ?? 0)
    }
    return {
      refused: [...refused],
      doubted: [...doubted],
      warnings,
      counts: Object.fromEntries(tables.map((table) => [table.name, this.#counts(table, before, staged)])),
    }
  }

  /** Projects that do not exist go with all they hold, unless they are too many; those that left the list alone are noted. */
  leave({ listed, gone, readable }: NonNullable<RunScript['list']>, startedAt: string, limits: DeletionLimits): void {
    const projects = this.#tableOf('projects')
    for (const [key, row] of [...projects]) {
      const [pid, since] = [String(row['pid']), row['unlisted_since']]
      if (since === null && readable.has(pid) && !listed.has(pid))
        projects.set(key, { ...row, unlisted_since: startedAt })
      if (since !== null && listed.has(pid)) projects.set(key, { ...row, unlisted_since: null })
    }
    const stored = this.#livePids().filter((pid) => this.#projectsBefore.has(pid))
    const absent = stored.filter((pid) => gone.has(pid))
    const count = this.#runLog.comparableRows(null, 'projects', stored.length)
    if (!limits.allowShrink && absent.length > limits.maxShrink * count) {
      this.#runLog.add(null, 'projects', 'refused', 0, 0)
      return
    }
    this.#webhooks.leave((pid) => gone.has(pid))
    this.#waiting.leave(gone)
    this.#groups.leave(gone)
    for (const table of TABLES) {
      if (table.name === 'webhooks' || !table.columns.some(({ name }) => name === 'pid')) continue
      for (const [key, { pid }] of [...this.#tableOf(table.name)]) {
        if (pid !== null && gone.has(String(pid))) this.#tableOf(table.name).delete(key)
      }
    }
  }

  /** What was seen of users counts once a run has ended; `false`: its process died before. */
  end(finished: boolean): void {
    if (finished) this.#projectsBefore = new Set(this.#livePids())
    this.#users.end(finished)
    this.#waiting.end()
    this.#runLog.endRun(finished, this.state())
  }

  state(): State {
    return new Map([...this.#live].map(([name, rows]) => [name, new Map(rows)]))
  }

  /** In neither their parent's list nor in any other: left out of it, or their parent is gone. */
  #deleteChildren(
    table: Table,
    pid: string | null,
    sure: readonly ReadRecord[],
    { staged, before, asked }: { readonly staged: State; readonly before: State; readonly asked: readonly string[] },
    unsure: ReadonlySet<string> | undefined,
  ): void {
    const { parent } = table
    if (parent === undefined) return
    const on = (row: PlainRow) => JSON.stringify(parent.on.map((name) => row[name]))
    const asParent = (name: TableName) => (row: PlainRow) => {
      const { columns = {}, fixed = {} } = parent.as?.[name] ?? {}
      return JSON.stringify(parent.on.map((column) => fixed[column] ?? row[columns[column] ?? column]))
    }
    const listing = new Set(
      sure.flatMap(({ rows }) =>
        rows
          .filter((each) => parent.tables.includes(each.table.name))
          .map((each) => asParent(each.table.name)(each.row)),
      ),
    )
    // lists that are read apart from their records
    if (parent.readBy !== undefined) listing.clear()
    if (parent.readBy !== undefined) for (const tid of asked) listing.add(JSON.stringify([tid]))
    const parentsIn = (state: State) =>
      new Set(
        parent.tables.flatMap((name) =>
          [...(state.get(name)?.values() ?? [])].filter((row) => row['pid'] === pid).map(asParent(name)),
        ),
      )
    const [lived, living] = [parentsIn(before), parentsIn(this.#live)]
    for (const [key, row] of [...this.#tableOf(table.name)]) {
      if (row['pid'] !== pid) continue
      const by = parent.unsureBy ?? parent.on
      const isUnsure =
        unsure !== undefined && (by.length === 0 || unsure.has(by.length === 1 ? String(row[by[0] ?? '']) : on(row)))
      const isLeftOut = listing.has(on(row)) && !staged.get(table.name)?.has(key) && !isUnsure
      // labels of a project whose own row was never read have none that could be gone
      const isOrphan = parent.on.length > 0 && lived.has(on(row)) && !living.has(on(row))
      if (isLeftOut || isOrphan) this.#tableOf(table.name).delete(key)
    }
  }

  #livePids(): string[] {
    return [...this.#tableOf('projects').values()].map((row) => String(row['pid']))
  }

  /** A record does not bring what runs keep of a row that lives. */
  #store(name: TableName, key: string, row: PlainRow): void {
    this.#tableOf(name).set(key, withKept(tableByName(name), row, this.#tableOf(name).get(key)))
    if (name === 'tasks') this.#lastTasks.set(key, row)
  }

  #counts(table: Table, before: State, staged: State): { written: number; deleted: number } {
    const was = before.get(table.name)
    const written = [...(staged.get(table.name) ?? [])].filter(
      ([key, row]) => versionText(table, was?.get(key)) !== versionText(table, withKept(table, row, was?.get(key))),
    )
    const deleted = [...(was ?? [])].filter(([key]) => !this.#tableOf(table.name).has(key))
    return { written: written.length, deleted: deleted.length }
  }

  #tableOf(name: TableName): Map<string, PlainRow> {
    const rows = this.#live.get(name)
    if (rows === undefined) throw new TypeError(`no table is named ${name}`)
    return rows
  }
}

/** Tables that a stream which was read stores into, and those of comments on their records. */
function touchedBy(read: readonly StreamName[]): Table[] {
  const touched = new Set<TableName>()
  for (const { name, streams, parent } of TABLES) {
    const isBelow = parent?.tables.some((each) => touched.has(each)) === true
    if (isBelow || streams.some((each) => read.includes(each))) touched.add(name)
  }
  return TABLES.filter(({ name }) => name !== 'users' && touched.has(name))
}

/** The tasks whose comments were read. */
function askedOf({ task_comments: of }: Publication['streams']): string[] {
  return (of?.batches ?? []).flatMap((batch) =>
    batch.kind === 'task_comments_read' ? batch.records.map(({ tid }) => tid) : [],
  )
}

function withKept(table: Table, row: PlainRow, before: PlainRow | undefined): PlainRow {
  return { ...row, ...Object.fromEntries((table.kept ?? []).map(({ name }) => [name, before?.[name] ?? null])) }
}

function statusOf(streams: Publication['streams'], stream: StreamName): ScopeStatus | null {
  const input = streams[stream]
  return input === undefined ? null : (input.status ?? 'complete')
}

function isRead(status: ScopeStatus | null): boolean {
  return status === 'complete' || status === 'drifted'
}
