import { expectedRows, type PlainRow, TABLES } from '@collab-etl/harness/expected-rows'
import { areSame, byKey, differences, type Rows } from '../worlds/judge.ts'
import { keyOf, plain, type Row } from '../worlds/rows.ts'
import type { Seen } from '../worlds/truth.ts'
import type { Night } from './night.ts'
import { everyone, type Person, permissionOf, pidsOf, type World } from './world.ts'

/** What the warehouse says of accounts. */
export interface SeenAccounts {
  readonly accounts: readonly PlainRow[]
  readonly projectAccounts: readonly PlainRow[]
  /** Start of the last run, and who took part. */
  readonly startedAt: unknown
  readonly ofRun: readonly PlainRow[]
}

/** What the service has and who may see it, at one time. */
export interface State {
  readonly people: readonly Person[]
  /** By `uid pid`. */
  readonly permissions: ReadonlyMap<string, number | null>
  /** By `uid pid`, the rows as this user sees them. */
  readonly rows: ReadonlyMap<string, Rows>
  readonly pids: ReadonlySet<string>
  /** Rows of the personal webhooks of a user. */
  readonly personal: ReadonlyMap<string, Rows>
}

/** Columns of a project that each account sees in its own way. */
const PERSONAL = ['curr_role', 'permission', 'is_starred', 'position']
/** They depend on who has shown them, and when. */
const NOT_JUDGED = ['users', 'teams']
/** Tables that a change of the members changes. */
const OF_MEMBERS = ['projects', 'project_members']
/** What an account without all rights does not see of a project, which stays as an earlier run read it. */
const OF_RIGHTS = [...OF_MEMBERS, 'webhooks']

export function stateOf(world: World): State {
  const { sandbox, isExtended } = world
  const people = everyone(world)
  const pids = pidsOf(world)
  const pairs = people.flatMap(({ uid }) => pids.map((pid) => [uid, pid] as const))
  return {
    people: people.map((person) => ({ ...person })),
    pids: new Set(pids),
    permissions: new Map(pairs.map(([uid, pid]) => [`${uid} ${pid}`, permissionOf(world, uid, pid)])),
    rows: new Map(
      pairs.map(([uid, pid]) => {
        const truth = sandbox.store.as(uid).truth(pid)
        const linked = {
          ...truth,
          posts: truth.posts.filter(({ post }) => !truth.unlinked_posts.includes(post.post_id)),
        }
        const of = isExtended ? expectedRows([truth], [], { teams: [], members: [] }) : expectedRows([linked], [])
        return [`${uid} ${pid}`, rowsOf(of)]
      }),
    ),
    personal: new Map(people.map(({ uid }) => [uid, rowsOf(expectedRows([], sandbox.store.as(uid).personalWebhooks))])),
  }
}

function rowsOf(tables: Readonly<Record<string, readonly PlainRow[]>>): Rows {
  const judged = TABLES.filter((table) => !NOT_JUDGED.includes(table))
  return byKey(judged.flatMap((table) => (tables[table] ?? []).map((row) => ({ table, row: plain(row) }))))
}

/** What must be true after a run, worked out from who may see what, and from what was stored before. */
export class Truth {
  /** Live rows by project; personal webhooks by `uid UID`. */
  #stored = new Map<string, Rows>()
  /** By project, the accounts that ever listed it and were not forgotten. */
  #seenBy = new Map<string, Set<string>>()
  /** By name, the user of the account in the last run. */
  #owners = new Map<string, string>()
  #projectAccounts: readonly PlainRow[] = []
  #known = new Set<string>()

  /** What is wrong after a night. */
  night(
    world: World,
    of: { night: Night; before: State; after: State; code: number | null; seen: Seen; accounts: SeenAccounts },
  ): string[] {
    const { night, before, after, code, seen, accounts } = of
    const stored = placesOf(seen.tables)
    const used = before.people.filter(({ isUsed }) => isUsed)
    const isFirm = ({ name, isValid }: Person) =>
      isValid && !night.unsure.has(name) && after.people.some((each) => each.name === name && each.isValid)
    const firm = used.filter(isFirm)
    const possible = used.filter(({ isValid }) => isValid)
    const isOther = ({ name, uid }: Person) => (this.#owners.get(name) ?? uid) !== uid
    const problems: string[] = []

    const isNamed = (name: string) => used.some((person) => person.name === name)
    const isUnknown = [...night.forgotten].some((name) => !this.#known.has(name) || isNamed(name))
    for (const name of night.forgotten) if (!isUnknown) this.#forget(name)
    // an account that may fail need not say whose token it has
    const isSeen = firm.some(isOther) || (code === 2 && possible.some(isOther))
    const isSwapped = world.hasProfile && !night.acceptsOthers && isSeen
    const refusals = [
      ...(isUnknown ? [{ code: 2, why: 'the account to forget is not known, or used' }] : []),
      ...(isSwapped ? [{ code: 2, why: 'a token is of another user' }] : []),
      ...(possible.length === 0 ? [{ code: 4, why: 'every account is refused' }] : []),
    ]
    const live = [...this.#stored.keys()].filter((pid) => !pid.startsWith('uid '))
    const lists = (person: Person, pid: string) => before.permissions.get(`${person.uid} ${pid}`) != null
    const isOtherService = live.length > 0 && !possible.some((person) => live.some((pid) => lists(person, pid)))
    if (refusals.length > 0) {
      if (!refusals.some((refusal) => refusal.code === code))
        problems.push(`exit code ${code}, though ${refusals.map(({ why }) => why).join(', ')}`)
      for (const place of new Set([...stored.keys(), ...this.#stored.keys()]))
        if (!areSame(stored.get(place), this.#stored.get(place) ?? new Map())) problems.push(`${place} has changed`)
      this.#note(stored, accounts)
      return problems
    }
    if (code !== 0 && code !== 3 && !isOtherService && !((code === 4 || code === 1) && firm.length === 0))
      return [...problems, `exit code ${code}`]

    const didRun = code === 0 || code === 3
    if (didRun) problems.push(...this.#inherit(used, { firm, known: accounts.accounts }))
    const stale: string[] = []
    // an account may lose a project between listing and reading it: then the list is read again, with every account that ever saw it
    const isGoneForAll = (pid: string) =>
      [...(this.#seenBy.get(pid) ?? [])].every((name) => possible.some((person) => person.name === name)) &&
      possible.every(({ uid }) => after.permissions.get(`${uid} ${pid}`) == null)
    const failing = used.filter((person) => !isFirm(person)).map(({ name }) => name)
    const former = new Set([...this.#seenBy.values()].flatMap((names) => [...names]))
    for (const { name } of used) former.delete(name)
    for (const pid of didRun ? new Set([...before.pids, ...live]) : []) {
      const old = this.#stored.get(pid)
      const now = stored.get(pid)
      const reads = (person: Person) => (before.permissions.get(`${person.uid} ${pid}`) ?? 0) > 0
      const readsAfter = (person: Person) => (after.permissions.get(`${person.uid} ${pid}`) ?? 0) > 0
      const surely = firm.filter((person) => reads(person) && readsAfter(person))
      const maybe = possible.filter(reads)
      const say = (problem: string) => problems.push(`${pid}: ${problem}`)
      if (maybe.length > 0) {
        const entries = maybe.map(
          ({ uid }) => after.rows.get(`${uid} ${pid}`) ?? before.rows.get(`${uid} ${pid}`) ?? new Map(),
        )
        const isCalm = night.unsure.size === 0
        const best = maybe.toSorted((a, b) => permission(b, pid, before) - permission(a, pid, before))[0]
        const wanted = isCalm ? [before.rows.get(`${best?.uid} ${pid}`) ?? new Map()] : entries
        // members change while the project is read: everything else is fresh
        const isFreshBeside = night.disturbed.has(pid) && isSameBesideMembers(now, entries)
        const isGone = now === undefined && isGoneForAll(pid)
        const isFresh = isGone || isFreshBeside || wanted.some((rows) => areSame(now, rows))
        if (!isFresh) stale.push(pid)
        if (surely.length > 0 && !isFresh) problems.push(...shown(pid, wanted[0] ?? new Map(), now))
        else if (!isFresh) problems.push(...between(pid, { old, now, fresh: [...entries, ...before.rows.values()] }))
        continue
      }
      const names = used.filter((person) => lists(person, pid)).map(({ name }) => name)
      // one that fails while it reads may have been answered before that the project does not exist
      const missing = [...(this.#seenBy.get(pid) ?? [])].filter(
        (name) => !possible.some((person) => person.name === name),
      )
      const isListed = possible.some((person) => lists(person, pid))
      if (old === undefined) {
        const hasMore = [...(now?.values() ?? [])].some(({ table }) => !OF_MEMBERS.includes(table))
        if (hasMore || (now !== undefined && !isListed && !world.hasTeams))
          say(`stored, though no account reads it: ${names.join()}`)
        continue
      }
      const mayReturn = failing.some((name) => used.some((person) => person.name === name && reads(person)))
      if (isListed || missing.length > 0 || mayReturn) {
        const wasRead = [...old.values()].some(({ table }) => table !== 'projects')
        if (!isListed || wasRead) stale.push(pid)
        if (now === undefined) say(`deleted, though ${isListed ? 'it is listed' : `${missing.join()} may know it`}`)
        else if (!areSame(withoutProject(now), withoutProject(old))) problems.push(...shown(`${pid} (kept)`, old, now))
        continue
      }
      if (now !== undefined && failing.length === 0 && !isOtherService && former.size === 0 && !world.hasTeams)
        say('not deleted, though it does not exist for any account')
    }
    // a run that did not begin changes none
    if (didRun)
      problems.push(...this.#judgePersonal(before, { stored, firm, used, former, isCalm: failing.length === 0 }))
    const invalid = used.filter(({ isValid }) => !isValid)
    if (code === 0) {
      if (stale.length > 0) problems.push(`wrong success: ${stale.join()} not as the service has it`)
      if (invalid.length > 0) problems.push(`wrong success: the token of ${invalid.map(({ name }) => name)} is refused`)
    }
    const lost = live.filter(
      (pid) => !possible.some((person) => (before.permissions.get(`${person.uid} ${pid}`) ?? 0) > 0),
    )
    const isClean =
      failing.length === 0 &&
      former.size === 0 &&
      lost.length === 0 &&
      possible.some((person) =>
        [...before.pids].some((pid) => (before.permissions.get(`${person.uid} ${pid}`) ?? 0) > 0),
      )
    if (isClean && code !== 0) problems.push(`exit code ${code} for no reason`)
    if (didRun) problems.push(...this.#judgeAccounts(world, { before, firm, used, accounts, night }))
    this.#note(stored, accounts)
    return problems
  }

  /** The used account with a token of the same user takes the place of one that is not used any more. */
  #inherit(
    used: readonly Person[],
    { firm, known }: { readonly firm: readonly Person[]; readonly known: readonly PlainRow[] },
  ): string[] {
    const problems: string[] = []
    for (const name of this.#known) {
      if (used.some((person) => person.name === name)) continue
      const heir = used.find(({ uid, isValid }) => isValid && uid === this.#owners.get(name))
      const isGone = !known.some(({ account }) => account === name)
      if (heir === undefined && isGone) problems.push(`${name} is forgotten, though no account has its user`)
      if (heir !== undefined && firm.includes(heir) && !isGone) problems.push(`${heir.name} is not the heir of ${name}`)
      if (heir === undefined || !isGone) continue
      for (const names of this.#seenBy.values()) if (names.delete(name)) names.add(heir.name)
      this.#owners.delete(name)
      this.#projectAccounts = this.#projectAccounts.map((row) =>
        row['account'] === name ? { ...row, account: heir.name } : row,
      )
    }
    return problems
  }

  #forget(name: string): void {
    this.#known.delete(name)
    for (const names of this.#seenBy.values()) names.delete(name)
    this.#owners.delete(name)
    this.#projectAccounts = this.#projectAccounts.filter(({ account }) => account !== name)
  }

  #judgePersonal(
    { personal, people }: State,
    of: {
      stored: ReadonlyMap<string, Rows>
      firm: readonly Person[]
      used: readonly Person[]
      former: ReadonlySet<string>
      isCalm: boolean
    },
  ): string[] {
    return people.flatMap(({ uid, name }) => {
      const [now = new Map(), old = new Map()] = [of.stored.get(`uid ${uid}`), this.#stored.get(`uid ${uid}`)]
      const fresh = personal.get(uid) ?? new Map()
      if (of.firm.some((person) => person.uid === uid))
        return areSame(now, fresh) ? [] : shown(`webhooks of ${name}`, fresh, now)
      const isGone = of.isCalm && of.former.size === 0 && !of.used.some((person) => person.uid === uid)
      if (isGone) return now.size === 0 ? [] : [`webhooks of ${name} stay, though the account is forgotten`]
      const isKept = areSame(now, old) || areSame(now, fresh)
      return isKept || (of.former.size === 0 && now.size === 0 && !of.used.some((person) => person.uid === uid))
        ? []
        : shown(`webhooks of ${name} (kept)`, old, now)
    })
  }

  #judgeAccounts(
    { hasProfile }: World,
    of: { before: State; firm: readonly Person[]; used: readonly Person[]; accounts: SeenAccounts; night: Night },
  ): string[] {
    const { before, firm, used, accounts, night } = of
    const problems: string[] = []
    const rowOf = (rows: readonly PlainRow[], name: string, pid: string) =>
      rows.find((row) => row['account'] === name && row['pid'] === pid)
    for (const { name, uid } of firm) {
      for (const pid of before.pids) {
        const row = rowOf(accounts.projectAccounts, name, pid)
        const project = before.rows.get(`${uid} ${pid}`)?.get(keyOf({ table: 'projects', row: { pid } }))?.row
        if (before.permissions.get(`${uid} ${pid}`) === null) continue
        const wrong = PERSONAL.filter((column) => row?.[column] !== project?.[column])
        if (wrong.length > 0 || row?.['last_seen_at'] !== accounts.startedAt)
          problems.push(`project_accounts ${name} ${pid}: ${JSON.stringify({ row, project, wrong })}`)
      }
      const known = accounts.accounts.find((row) => row['account'] === name)
      if (hasProfile && known?.['uid'] !== uid) problems.push(`accounts: ${name} is ${JSON.stringify(known)}`)
    }
    for (const old of this.#projectAccounts) {
      const row = rowOf(accounts.projectAccounts, String(old['account']), String(old['pid']))
      if (row === undefined) problems.push(`project_accounts lost ${JSON.stringify(old)}`)
    }
    for (const name of night.forgotten)
      if (accounts.projectAccounts.some(({ account }) => account === name)) problems.push(`${name} is not forgotten`)
    const names = used.map(({ name }) => name)
    const took = accounts.ofRun.filter(({ account, error }) => names.includes(String(account)) || error === null)
    const shown = took.map(({ account }) => account).join()
    if (names.join() !== shown) problems.push(`runs.accounts has ${shown} instead of ${names.join()}`)
    for (const { account, error, projects } of accounts.ofRun) {
      const person = firm.find(({ name }) => name === account)
      const isRefused = used.some(({ name, isValid }) => name === account && !isValid)
      if (isRefused && error === null) problems.push(`runs.accounts says nothing of the refused token of ${account}`)
      if (person === undefined) continue
      if (error !== null) problems.push(`runs.accounts: ${account} failed: ${error}`)
      const listed = [...before.pids].filter((pid) => before.permissions.get(`${person.uid} ${pid}`) !== null)
      if (projects !== listed.length) problems.push(`runs.accounts: ${account} lists ${projects} of ${listed.length}`)
    }
    return problems
  }

  #note(stored: Map<string, Rows>, { accounts, projectAccounts }: SeenAccounts): void {
    this.#stored = stored
    this.#projectAccounts = projectAccounts
    this.#known = new Set([...accounts, ...projectAccounts].map(({ account }) => String(account)))
    this.#owners = new Map(
      accounts.flatMap(({ account, uid }) => (uid === null ? [] : [[String(account), String(uid)] as const])),
    )
    this.#seenBy = new Map()
    for (const { pid, account } of projectAccounts) {
      const names = this.#seenBy.get(String(pid)) ?? new Set()
      this.#seenBy.set(String(pid), names.add(String(account)))
    }
  }
}

function permission({ uid }: Person, pid: string, { permissions }: State): number {
  return permissions.get(`${uid} ${pid}`) ?? 0
}

function placesOf(tables: Seen['tables']): Map<string, Rows> {
  const rows: Row[] = [...rowsOf(tables).values()]
  return new Map(
    [...Map.groupBy(rows, ({ row }) => (row['pid'] === null ? `uid ${row['uid']}` : String(row['pid'])))].map(
      ([place, of]) => [place, byKey(of)],
    ),
  )
}

function isSameBesideMembers(now: Rows | undefined, entries: readonly Rows[]): boolean {
  const without = (rows: Rows) => new Map([...rows].filter(([, { table }]) => !OF_RIGHTS.includes(table)))
  return now !== undefined && entries.some((rows) => areSame(without(now), without(rows)))
}

const withoutProject = (rows: Rows) => new Map([...rows].filter(([, { table }]) => table !== 'projects'))

/** Each row is old or new, and what is both old and new stays. */
function between(
  pid: string,
  { old = new Map(), now = new Map(), fresh }: { old: Rows | undefined; now: Rows | undefined; fresh: readonly Rows[] },
): string[] {
  const line = ({ table, row }: Row) =>
    JSON.stringify(Object.entries(table === 'projects' ? {} : row).sort(([a], [b]) => (a < b ? -1 : 1)))
  const known = new Set([old, ...fresh].flatMap((rows) => [...rows].map(([key, row]) => `${key} ${line(row)}`)))
  const strange = [...now].filter(([key, row]) => !known.has(`${key} ${line(row)}`)).map(([key]) => key)
  const gone = [...old].filter(
    ([key, { table }]) => !OF_MEMBERS.includes(table) && !now.has(key) && fresh.some((rows) => rows.has(key)),
  )
  return [
    ...strange.slice(0, 2).map((key) => `${pid}: neither old nor new: ${key}`),
    ...gone.slice(0, 3).map(([key]) => `${pid}: deleted, though the service has it: ${key}`),
  ]
}

function shown(what: string, expected: Rows, now: Rows = new Map()): string[] {
  const tables = new Set([...expected.values(), ...now.values()].map(({ table }) => table))
  const of = (rows: Rows, table: string) =>
    [...rows.values()].filter((row) => row.table === table).map(({ row }) => row)
  if (now.size === 0 && expected.size > 0) return [`${what}: not stored`]
  return [...tables].flatMap((table) => differences(`${what}: ${table}`, of(expected, table), of(now, table)))
}
