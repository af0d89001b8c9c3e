import { expectedRows, type PlainRow } from '@collab-etl/harness/expected-rows'
import type { ProjectTruth, Sandbox, UserRecord } from '@collab-etl/sandbox'
import { STORED } from './access.ts'
import { areSame, between, byKey, lossOf, type Rows } from './judge.ts'
import { MOST_CAPPED, plain } from './rows.ts'
import type { Allowed, Seen } from './truth.ts'

/** What only the list of a project or its detail has. */
const NOT_IN_TEAM = {
  ...{ is_starred: null, position: null, member_count: null, curr_role: null, created_by_uid: null },
  extra: null,
}

/** Teams, and the projects that only their lists show. */
export class Teams {
  #rows: Rows = new Map()
  #fresh: Rows = new Map()
  /** Projects that lists of teams alone show, without permission. */
  readonly #only = new Set<string>()
  /** The last row of each project, also of those that went. */
  readonly #last = new Map<string, PlainRow>()
  /** By project, the values of the lists of teams; `null`: they were not read this night. */
  #shown: ReadonlyMap<string, PlainRow> | null = null
  #isWhole = false

  get rows(): Rows {
    return this.#rows
  }

  /** Notes what the night read. Returns the members of the teams as the lists show them. */
  see(
    { projects, teams, caller }: Sandbox['store'],
    truths: ReadonlyMap<string, ProjectTruth>,
    seen: Seen,
    { showsTeamProjects, showsTeamMembers, isCapped }: Allowed,
  ) {
    const status = seen.scopes.get(' teams')?.status ?? ''
    this.#isWhole = status === 'complete'
    this.#shown = null
    const members: ProjectTruth['members'] = []
    const people: UserRecord[] = []
    if (!STORED.includes(status)) return { members, people }
    const isOwn = (teamId: string) =>
      projects.some(({ team_id, members: of }) => team_id === teamId && of.some(({ user }) => user.uid === caller.uid))
    const own = teams.filter(({ team_id }) => isOwn(team_id))
    const rows = expectedRows([], [], { teams: own, members: [] })['teams'] ?? []
    this.#fresh = byKey(rows.map((row) => ({ table: 'teams', row: plain(row) })))
    const shown = new Map<string, PlainRow>()
    for (const [pid, { detail }] of truths) {
      if (!own.some(({ team_id }) => team_id === detail.team_id)) continue
      const { name, desc: description, pic, bg, visibility, team_id } = detail
      const row = { pid, name, description, pic, bg, visibility, team_id, archived: detail.archived === 1 }
      shown.set(pid, plain({ ...row, permission: 0 }))
    }
    for (const { team_id } of showsTeamMembers ? own : []) {
      const all = [...truths.values()].flatMap((of) => (of.detail.team_id === team_id ? of.members : []))
      const once = [...new Map(all.map((member) => [member.uid, member])).values()]
      members.push(...(isCapped ? once.slice(0, MOST_CAPPED) : once))
    }
    // the projects of a team are read after its members
    if (showsTeamProjects) this.#shown = status === 'partial' ? new Map() : shown
    for (const { created_by } of own) if (created_by) people.push({ ...created_by })
    return {
      members,
      people: [...people, ...members.map(({ email: _, role: _role, join_date: _joined, ...user }) => user)],
    }
  }

  /** Judges the rows of teams. */
  next(inPlace: Rows, seen: Seen, { allowsShrink }: Allowed): string[] {
    const status = seen.scopes.get(' teams')?.status ?? ''
    if (!STORED.includes(status)) return []
    const [old, fresh] = [this.#rows, this.#fresh]
    const loss = lossOf(old, fresh)
    if (status === 'complete') {
      this.#rows = fresh
      return loss.isTooMuch && !allowsShrink ? ['complete, though most teams are missing'] : []
    }
    this.#rows = inPlace
    // the guard may have refused to mark projects of teams, after the rows of teams were stored
    return areSame(inPlace, fresh) ? [] : between(old, fresh, inPlace)
  }

  /** The rows of a project that the list of projects shows. */
  noteListed(pid: string, rows: Rows): void {
    this.#only.delete(pid)
    this.#noteLast(pid, rows)
  }

  /** The rows of a project that the list of projects lacks; `undefined`: no list of a team says anything about it. */
  unlisted(pid: string, old: Rows): Rows | undefined {
    const row = this.#shown?.get(pid)
    if (row === undefined) {
      if (!this.#only.has(pid)) return undefined
      if (!this.#isWhole || this.#shown === null) return old
      this.#only.delete(pid)
      return new Map()
    }
    const next = { ...NOT_IN_TEAM, ...this.#last.get(pid), ...row, extra: null }
    this.#only.add(pid)
    const rows = new Map([...old, ...byKey([{ table: 'projects', row: next }])])
    this.#noteLast(pid, rows)
    return rows
  }

  #noteLast(pid: string, rows: Rows): void {
    const row = [...rows.values()].find(({ table }) => table === 'projects')?.row
    if (row !== undefined) this.#last.set(pid, row)
  }
}
