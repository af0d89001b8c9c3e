import { type PlainRow, type PlainTables, TABLES } from '@collab-etl/harness/expected-rows'
import type { ProjectTruth, Sandbox, UserRecord } from '@collab-etl/sandbox'
import { Access, STORED } from './access.ts'
import { Entries } from './entries.ts'
import { areSame, between, byKey, differences, lossOf, type Rows } from './judge.ts'
import { filesInFolders, Known } from './known.ts'
import { Offers } from './offers.ts'
import {
  keyOf,
  MOST_CAPPED,
  type Row,
  rowsOfStream,
  type Stream,
  UNITS,
  type Unit,
  unitOf,
  usersIn,
  usersOf,
} from './rows.ts'
import { TaskComments } from './task-comments.ts'
import { Teams } from './teams.ts'
import { type Copy, Users } from './users.ts'
import { Webhooks } from './webhooks.ts'

/** What the warehouse says after a night. */
export interface Seen {
  readonly tables: PlainTables
  /** By `pid stream`: how each scope was last read in this night. */
  readonly scopes: ReadonlyMap<string, { readonly status: string; readonly code: string | null }>
  /** `pid stream item` of items that could not be read. */
  readonly unread: ReadonlySet<string>
}

/** What a night may do. */
export interface Allowed {
  readonly allowsShrink: boolean
  /** What the service offers beyond its documented operations, and the run uses. */
  readonly offered: ReadonlySet<string>
  /** Whether the run uses nothing of it. */
  readonly isOff: boolean
  /** Whether the run finds out what is offered: no fault may hide it. */
  readonly isSure: boolean
  /** Whether members may lack their e-mail address. */
  readonly hidesEmail: boolean
  /** Whether the lists of teams show their projects. */
  readonly showsTeamProjects: boolean
  readonly showsTeamMembers: boolean
  /** Whether lists hold 20 records at most. */
  readonly isCapped: boolean
  /** Whether everything is read, however lately it was read before. */
  readonly isFull: boolean
  /** The project that alone is read. */
  readonly only?: string
  /** Whether a fault of the night may touch this scope. */
  excuses(pid: string, stream: Stream): boolean
  /** Whether a fault of the night does not let this scope be read. */
  fails(pid: string, stream: Stream): boolean
  /** The project whose detail answers 403. */
  readonly denies?: string
  /** The post or file that cannot be read. */
  readonly unreadable?: { readonly pid: string; readonly kind: string; readonly id: string; readonly part: string }
}

const LISTED = [
  ...['name', 'description', 'archived', 'pic', 'bg', 'visibility', 'team_id', 'is_starred', 'position'],
  ...['member_count', 'curr_role', 'permission'],
]
/**
 * What a warehouse must hold after each night, worked out from the records of the service and the status that each scope claims. It
 * shares nothing with the product but the meaning of these words: complete is new, failed is old, all others are between.
 */
export class Truth {
  readonly known = new Known()
  readonly #access = new Access()
  readonly #places = new Map<string, Rows>()
  /** By task, when it was completed. */
  readonly #completions = new Map<string, unknown>()
  readonly #webhooks = new Webhooks()
  readonly #undecided = new Set<string>()
  readonly #offers = new Offers()
  readonly #entries = new Entries()
  readonly #comments = new TaskComments()
  readonly #teams = new Teams()
  readonly #users = new Users()
  /** Posts and files that failed before they were ever read: a later night asks for them again, but not every night. */
  readonly #postponed = new Set<string>()
  /** Posts and files that the warehouse held after the night before. */
  #stored: ReadonlySet<string> = new Set()

  /** Notes a night. Returns what is wrong, the projects that the token lost, and the rows that every later night must give for this one. */
  night({ store }: Sandbox, seen: Seen, allowed: Allowed): { problems: string[]; lost: string[]; tables: PlainTables } {
    const whole = new Map(store.projects.map(({ reference: { pid } }) => [pid, store.truth(pid)]))
    const cut = ({ members, ...truth }: ProjectTruth) => ({ ...truth, members: members.slice(0, MOST_CAPPED) })
    const truths = allowed.isCapped ? new Map([...whole].map(([pid, truth]) => [pid, cut(truth)])) : whole
    const stored = new Set(['posts', 'files'].flatMap((of) => (seen.tables[of] ?? []).map((row) => itemOf(of, row))))
    const problems = this.#judgeUnread(seen.unread, stored, allowed)
    const absent = [...this.#postponed].filter((item) => !stored.has(item))
    const unread = new Set([...seen.unread, ...absent].filter((item) => !this.#isRead(item, stored)))
    const team = this.#teams.see(store, whole, seen, allowed)
    const read = new Map(
      [...truths].map(([pid, truth]) => [
        pid,
        this.#comments.read({ truth, old: this.#at(pid, 'task_comments'), seen, allowed }),
      ]),
    )
    const fresh = this.#read(truths, { ...seen, unread }, allowed, read, team.people)
    this.#stored = stored
    for (const item of this.known.items()) {
      const [pid = '', kind = '', id] = item.split(' ')
      const isTouched = allowed.excuses(pid, kind as Stream) && (allowed.unreadable?.id ?? id) === id
      if (isTouched && !stored.has(item)) this.#postponed.add(item)
    }
    const inPlace = Map.groupBy(
      TABLES.flatMap((table) => (seen.tables[table] ?? []).map((row) => ({ table, row }))).filter(unitOf),
      (row) => placeOf(row),
    )
    const stays = byKey((seen.tables['teams'] ?? []).map((row) => ({ table: 'teams', row })))
    problems.push(...this.#teams.next(stays, seen, allowed))
    if (allowed.only === undefined)
      problems.push(...this.#offers.judge('', 'teams', seen.scopes.get(' teams')?.status ?? 'absent', allowed))
    for (const [pid, truth] of truths) {
      const found = (unit: string) => byKey(inPlace.get(`${pid} ${unit}`) ?? [])
      const keep = (unit: string, next: { rows: Rows; problems: string[] }) => {
        problems.push(...next.problems.map((problem) => `${pid} ${unit}: ${problem}`))
        this.#places.set(`${pid} ${unit}`, next.rows)
      }
      const isHere = truth.listed !== null || this.#leave(truth, found('projects'), seen, allowed)
      if (!isHere) continue
      const of = { truth, seen, allowed }
      keep(
        'entries',
        this.#entries.next(truth, { old: this.#at(pid, 'entries'), inPlace: found('entries') }, seen, allowed),
      )
      for (const unit of truth.listed === null ? [] : (Object.keys(UNITS) as Unit[])) {
        const rows =
          unit === 'tasks' ? this.#withEntryNames(truth, fresh.get(`${pid} tasks`)) : fresh.get(`${pid} ${unit}`)
        const inPlace = found(unit)
        const shown = unit === 'members' && allowed.hidesEmail ? withEmailsOf(inPlace, rows) : rows
        keep(unit, this.#next(truth, { pid, unit, old: this.#at(pid, unit), inPlace, fresh: shown }, seen, allowed))
      }
      keep(
        'task_comments',
        this.#comments.next(
          { ...of, old: this.#at(pid, 'task_comments') },
          { read: read.get(pid) ?? new Set(), inPlace: found('task_comments'), tasks: this.#at(pid, 'tasks') },
        ),
      )
      if (truth.listed !== null) this.#teams.noteListed(pid, this.#at(pid, 'projects'))
      problems.push(...this.#judgeOffers(truth, seen, allowed))
    }
    problems.push(
      ...this.#webhooks.note(
        truths,
        store.personalWebhooks,
        seen,
        allowed,
        (pid) => this.#at(pid, 'projects').size === 0,
      ),
    )
    this.#users.noteEmails(truths, team.members, seen, allowed)
    this.#users.accept(seen.tables['users'] ?? [])
    const tables = this.#tables()
    for (const table of TABLES) problems.push(...differences(table, tables[table] ?? [], seen.tables[table] ?? []))
    return { problems, lost: this.#access.lost(truths, seen, allowed), tables }
  }

  /** Each post and file that could not be read is named, and no other one. */
  #judgeUnread(unread: ReadonlySet<string>, stored: ReadonlySet<string>, allowed: Allowed): string[] {
    const problems: string[] = []
    for (const item of unread) {
      const [pid = '', stream = '', id = ''] = item.split(' ')
      const isPostponed = this.#postponed.has(`${pid} ${stream} ${id.replace('/comments', '')}`)
      if (this.#isRead(item, stored)) problems.push(`${item} is in unread_items, though this night read it`)
      else if (!isPostponed && !allowed.excuses(pid, stream as Stream)) problems.push(`${item} is unread for no reason`)
    }
    const { pid, kind, id, part } = allowed.unreadable ?? { pid: '', kind: '', id: '', part: '' }
    const item = `${pid} ${kind} ${id}`
    if (this.#stored.has(item) && !unread.has(`${item}${part}`)) problems.push(`${item}${part} is not in unread_items`)
    return problems
  }

  /** Whether the night read an item for the first time. */
  #isRead(item: string, stored: ReadonlySet<string>): boolean {
    return stored.has(item) && !this.#stored.has(item)
  }

  #at(pid: string, unit: string): Rows {
    return this.#places.get(`${pid} ${unit}`) ?? new Map()
  }

  /**
   * A project that the list of projects lacks: whether it stays. One that only the list of a team shows has no permission, and no scopes.
   */
  #leave({ detail: { pid } }: ProjectTruth, inPlace: Rows, { scopes }: Seen, { only }: Allowed): boolean {
    const old = this.#at(pid, 'projects')
    const ofTeam = this.#teams.unlisted(pid, old)
    // a run over one project may leave the others as they are
    const isKept = isWholeList(scopes) ? only !== undefined && inPlace.size > 0 : true
    const rows = ofTeam ?? (isKept ? old : new Map())
    this.#places.set(`${pid} projects`, rows)
    if (rows.size > 0) return true
    for (const unit of [...Object.keys(UNITS), 'entries', 'task_comments'])
      this.#places.set(`${pid} ${unit}`, new Map())
    for (const each of [this.#offers, this.#entries, this.#comments]) each.forget(pid)
    return false
  }

  /** A task that shows another name than its group has keeps it. */
  #withEntryNames({ detail: { pid }, tasks, archived_tasks }: ProjectTruth, rows: Rows | undefined): Rows | undefined {
    const names = this.#entries.namesOf(pid, this.#at(pid, 'entries'))
    if (rows === undefined || names === null) return rows
    const shown = new Map([...tasks, ...archived_tasks].map(({ tid, entry_name }) => [tid, entry_name]))
    return new Map(
      [...rows].map(([key, { table, row }]) => {
        const entry_name = shown.get(String(row['tid']))
        const isOther = table === 'tasks' && entry_name !== names.get(row['entry_id'])
        return [key, { table, row: isOther ? { ...row, extra: { entry_name } } : row }]
      }),
    )
  }

  /** Scopes that need not be offered, of a project that the night read. */
  #judgeOffers({ detail: { pid }, listed, ...truth }: ProjectTruth, { scopes }: Seen, allowed: Allowed): string[] {
    const statusOf = (stream: Stream) => scopes.get(`${pid} ${stream}`)?.status ?? 'absent'
    if (listed === null || listed.permission === 0 || (allowed.only ?? pid) !== pid) return []
    const hasTasks = truth.tasks.length + truth.archived_tasks.length > 0
    return (['members', 'entries', 'task_comments'] as const).flatMap((stream) =>
      // without a task, nothing shows whether comments are offered
      stream === 'task_comments' && !hasTasks ? [] : this.#offers.judge(pid, stream, statusOf(stream), allowed),
    )
  }

  /** Rows of each place that the night read. */
  #read(
    truths: ReadonlyMap<string, ProjectTruth>,
    seen: Seen,
    { offered, isSure }: Allowed,
    commented: ReadonlyMap<string, ReadonlySet<string>>,
    ofTeams: readonly UserRecord[],
  ): Map<string, Rows> {
    const isStored = (pid: string, stream: string) => STORED.includes(seen.scopes.get(`${pid} ${stream}`)?.status ?? '')
    const comments = (pid: string) => [...(commented.get(pid) ?? [])].map((tid) => truths.get(pid)?.task_comments[tid])
    const ids = (truth: ProjectTruth, kind: 'post' | 'file') => {
      const all = kind === 'post' ? truth.posts.map(({ post }) => post.post_id) : filesInFolders(truth)
      if (!offered.has(`${kind}s`)) return []
      const rows = seen.tables[`${kind}s`] ?? []
      return isSure ? all : all.filter((id) => rows.some((row) => (row['post_id'] ?? row['fid']) === id))
    }
    const read = this.known.read(truths, isStored, seen.unread, { comments, ids })
    const fresh = new Map<string, Rows>()
    const copies: Copy[] = ofTeams.map((user) => ({ place: ' teams', user }))
    for (const pid of truths.keys())
      copies.push(...usersOf(comments(pid)).map((user) => ({ place: `${pid} task_comments`, user })))
    for (const [pid, truth] of read)
      for (const [unit, streams] of Object.entries(UNITS))
        for (const stream of streams.filter((each) => isStored(pid, each))) {
          const place = `${pid} ${unit}`
          const rows = rowsOfStream(truth, stream).map((row) => this.#withCompletion(row))
          fresh.set(place, byKey([...(fresh.get(place)?.values() ?? []), ...rows]))
          copies.push(...usersIn(truth, stream).map((user) => ({ place, user })))
        }
    this.#users.see(copies)
    return fresh
  }

  /** The list of archived tasks does not say when a task was completed: what was last seen stays, of a task that comes back, too. */
  #withCompletion({ table, row }: Row): Row {
    if (table !== 'tasks') return { table, row }
    const key = keyOf({ table, row })
    const last = row['archived'] === true ? this.#completions.get(key) : row['completed_at']
    const completed_at = row['completed'] === true ? (last ?? null) : null
    this.#completions.set(key, completed_at)
    return { table, row: row['archived'] === true ? { ...row, completed_at } : row }
  }

  #next(truth: ProjectTruth, at: At, { scopes }: Seen, allowed: Allowed): { rows: Rows; problems: string[] } {
    const { pid, unit, old, inPlace, fresh } = at
    const streams: readonly Stream[] = UNITS[unit]
    const statuses = streams.map((stream) => scopes.get(`${pid} ${stream}`)?.status ?? 'absent')
    const isClosed = truth.listed?.permission === 0
    if (isClosed || (unit === 'projects' && allowed.denies === pid)) {
      const why = isClosed ? 'has permission 0' : 'is denied with 403'
      const wrong = statuses.filter((status) => !['skipped', 'absent'].includes(status))
      const problems = wrong.map((status) => `${why}, and is ${status}`)
      return { rows: unit === 'projects' ? fromList(old, truth, statuses) : old, problems }
    }
    if (fresh === undefined) return { rows: old, problems: this.#alarms(at, streams, statuses, allowed, 0) }
    const missing = lossOf(old, fresh)
    const problems = this.#alarms(at, streams, statuses, allowed, missing.share)
    const isDoubtful = unit === 'members' && allowed.isCapped && fresh.size === MOST_CAPPED
    if (isDoubtful) {
      // rows that are missing for the first time are in doubt; then they wait, unless that is accepted
      const isAccepted = statuses[0] === 'complete' && allowed.allowsShrink && areSame(inPlace, fresh)
      if (statuses[0] !== 'complete') this.#undecided.add(`${pid} ${unit}`)
      return { rows: inPlace, problems: isAccepted ? [] : between(old, fresh, inPlace) }
    }
    if (statuses.every((status) => status === 'complete')) {
      this.#undecided.delete(`${pid} ${unit}`)
      if (missing.isTooMuch && !allowed.allowsShrink)
        problems.push(`complete, though most of ${missing.table} are missing`)
      return { rows: fresh, problems }
    }
    this.#undecided.add(`${pid} ${unit}`)
    return { rows: inPlace, problems: [...problems, ...between(old, fresh, inPlace)] }
  }

  /** Each scope says that it could not be read, and none does so without a reason. */
  #alarms({ pid, unit }: At, streams: readonly Stream[], statuses: readonly string[], allowed: Allowed, share: number) {
    const isRefusable = share > 0.5 || this.#undecided.has(`${pid} ${unit}`)
    return streams.flatMap((stream, index) => {
      const status = statuses[index] ?? ''
      if (stream === 'members' && status !== 'refused') return []
      if (allowed.fails(pid, stream)) return status === 'failed' ? [] : [`${stream} cannot be read, and is ${status}`]
      if (['complete', 'absent'].includes(status)) return []
      if (allowed.excuses(pid, stream) && status !== 'skipped') return []
      return status === 'refused' && isRefusable && !allowed.allowsShrink
        ? []
        : [`${stream} is ${status} for no reason`]
    })
  }

  #tables(): PlainTables {
    const rows = [...this.#places.values()].flatMap((of) => [...of.values()])
    const tables = Object.groupBy(rows, ({ table }) => table)
    return {
      ...Object.fromEntries(Object.entries(tables).map(([table, of = []]) => [table, of.map(({ row }) => row)])),
      users: this.#users.rows,
      teams: [...this.#teams.rows.values()].map(({ row }) => row),
      webhooks: this.#webhooks.rows,
    }
  }
}

interface At {
  readonly pid: string
  readonly unit: Unit
  readonly old: Rows
  /** What is stored. */
  readonly inPlace: Rows
  /** What was read; `undefined` where nothing of it was stored. */
  readonly fresh: Rows | undefined
}

/** Whether the list of projects shows which ones are gone. */
function isWholeList(scopes: Seen['scopes']): boolean {
  return scopes.get(' projects')?.status === 'complete'
}

function placeOf(row: Row): string {
  return `${row.row['pid']} ${unitOf(row)}`
}

function itemOf(stream: string, { pid, post_id, fid }: PlainRow): string {
  return `${pid} ${stream} ${post_id ?? fid}`
}

/** Rows of members, with the addresses that the stored ones lack left out. */
function withEmailsOf(stored: Rows, rows: Rows | undefined): Rows | undefined {
  return (
    rows &&
    new Map(
      [...rows].map(([key, { table, row }]) => {
        const email = stored.get(key)?.row['email'] === null ? null : row['email']
        return [key, { table, row: { ...row, email } }]
      }),
    )
  )
}

/** A project without permission: its row is that of the list, with what only the detail had. */
function fromList(old: Rows, truth: ProjectTruth, [status]: readonly string[]): Rows {
  const [project] = rowsOfStream(truth, 'projects').filter(({ table }) => table === 'projects')
  if (status === 'absent' || project === undefined) return old
  const key = keyOf(project)
  const before = old.get(key)?.row
  const listed = Object.fromEntries(LISTED.map((column) => [column, project.row[column]]))
  const row = { ...(before ?? { ...project.row, created_by_uid: null }), ...listed }
  return new Map([...old, [key, { table: 'projects', row }]])
}
