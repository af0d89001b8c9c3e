import type { Account, Offered, OptionalOperation } from '@collab-etl/contract'
import { AccountError, messageOfAccounts } from '../errors/account-error.ts'
import { isAuthError } from '../errors/api-error.ts'
import type { CollabError } from '../errors/collab-error.ts'
import { SignInError } from '../errors/sign-in-error.ts'
import type { Pace } from './pace.ts'
import type { TokenSource } from './token-source.ts'

/** One account of a client, and its state in this run. */
export class AccountState {
  readonly name: string
  readonly tokens: TokenSource
  /** Its own limit on requests; `null`: there is only that of the client. */
  readonly pace: Pace | null
  /** Whether earlier runs may have read teams with it. */
  expectsTeams = false
  /** Operations that refused a renewed token too: a refusal of these no longer renews the token. */
  readonly refusing = new Set<string>()
  /** Requests sent, retries included. */
  requests = 0
  /** Optional operations, and whether the service offers them to this account; absent: not known. */
  readonly offered: Partial<Record<OptionalOperation, boolean>> = {}
  /** Why it is not used any more. */
  failure: AccountError | undefined

  constructor({ name, tokens, pace }: Pick<AccountState, 'name' | 'tokens' | 'pace'>) {
    this.name = name
    this.tokens = tokens
    this.pace = pace
  }
}

/** A permission for comparing; an unknown one is more than none. */
export function rightsOf(permission: number | null | undefined): number {
  return permission ?? 1
}

/** Who may read one project, for another process of the run. */
export interface ProjectRoute {
  /** Accounts that list it, each with its permission. */
  readonly listed: readonly (readonly [account: string, permission: number | null])[]
  /** Accounts that listed it in earlier runs. */
  readonly seen: readonly string[]
  /** The account that reads it. */
  readonly reader: string | null
}

type Failures = readonly (readonly [account: string, why: string])[]

/** What concerns no project of its own, for another process of the run. */
export interface AccountsData {
  /** Accounts whose lists of projects were read. */
  readonly listing: readonly string[]
  readonly failed: Failures
  /** Accounts of earlier runs that are not used any more, and why. */
  readonly former: Failures
}

/** Accounts to ask: those that know the project, then others. */
interface Candidates {
  readonly first: readonly AccountState[]
  readonly others: readonly AccountState[]
}

/** The accounts of a client: which of them can read a project, who reads it, and which have failed. */
export class Accounts {
  /** The user of each account whose token the service identified. */
  readonly owners = new Map<string, Account>()
  readonly #all: readonly AccountState[]
  /** Accounts of earlier runs that are not used any more. */
  readonly #former = new Map<string, AccountError>()
  /** Accounts of the run that this process cannot use: they failed in another one, or it does not have their tokens. */
  readonly #elsewhere = new Map<string, AccountError>()
  /** By project, the accounts that list it, each with its permission. */
  readonly #listed = new Map<string, Map<string, number | null>>()
  /** Accounts whose lists of projects this run has read. */
  readonly #listing = new Set<string>()
  /** By project, the accounts that listed it in earlier runs, or have read it in this one. */
  readonly #seen = new Map<string, Set<string>>()
  readonly #readers = new Map<string, AccountState>()
  /** The account that answers an operation on a project if the reader does not. Key: `OPERATION PID`. */
  readonly #answering = new Map<string, AccountState>()

  constructor(all: readonly AccountState[]) {
    this.#all = all
  }

  /** In the order of the options. */
  get names(): readonly string[] {
    return this.#all.map(({ name }) => name)
  }

  get areSeveral(): boolean {
    return this.#all.length + this.#elsewhere.size > 1
  }

  /** Those that have not failed, in order. */
  get usable(): readonly AccountState[] {
    return this.#all.filter(({ failure }) => failure === undefined)
  }

  /** Accounts that failed in this run, or of which this process has no token, and those of earlier runs that are not used any more. */
  get failures(): ReadonlyMap<string, AccountError> {
    const failed = this.#all.flatMap(({ name, failure }) => (failure === undefined ? [] : [[name, failure] as const]))
    return new Map([...this.#elsewhere, ...failed, ...this.#former])
  }

  /** Account that reads each project, of those that were read. */
  get readers(): ReadonlyMap<string, string> {
    return new Map([...this.#readers].map(([pid, { name }]) => [pid, name]))
  }

  /** The account that answers an operation on a project. */
  answererOf(operation: string, pid: string): string | undefined {
    return (this.#answering.get(`${operation} ${pid}`) ?? this.#readers.get(pid))?.name
  }

  /** Requests of an account, retries included. */
  requestsOf(name: string): number {
    return this.named(name).requests
  }

  /** What an account was offered beyond the documented operations, as far as it was asked. */
  offeredTo(name: string): Offered {
    return { ...this.named(name).offered }
  }

  /** Notes that earlier runs may have read teams with an account; ignored for accounts that are not used any more. */
  expectTeams(name: string): void {
    const account = this.#find(name)
    if (account !== undefined) account.expectsTeams = true
  }

  /** Whether an account has failed if it is not given its list of teams. */
  expectsTeams(name: string): boolean {
    return this.named(name).expectsTeams
  }

  /** @throws TypeError if there is no such account */
  named(name: string): AccountState {
    const account = this.#find(name)
    if (account === undefined) throw new TypeError(`there is no account ${name}`)
    return account
  }

  #find(name: string): AccountState | undefined {
    return this.#all.find((candidate) => candidate.name === name)
  }

  /** Notes the projects that an account lists. */
  noteListed(account: string, projects: Iterable<{ readonly pid: string; readonly permission: number | null }>): void {
    this.#listing.add(account)
    for (const { pid, permission } of projects) {
      const of = this.#listed.get(pid) ?? new Map<string, number | null>()
      this.#listed.set(pid, of.set(account, permission))
    }
  }

  /** Notes which accounts listed projects in earlier runs. Those of them that are not used any more count as failed. */
  sawBefore(rows: Iterable<{ readonly pid: string; readonly account: string }>): void {
    const names = new Set(this.names)
    for (const { pid, account } of rows) {
      this.#noteSeen(pid, account)
      if (names.has(account) || this.#former.has(account)) continue
      const why = `it is no longer among the accounts; what only it saw is kept until you run snapshot --forget-account ${account}`
      this.#former.set(account, new AccountError(account, why))
    }
  }

  /** What another process must know to use the accounts of this run as this one does. */
  toJSON(): AccountsData {
    const texts = (errors: Iterable<readonly [string, AccountError]>) =>
      [...errors].map(([name, { why }]) => [name, why] as const)
    const failed = [...this.failures].filter(([name]) => !this.#former.has(name))
    return { listing: [...this.#listing], failed: texts(failed), former: texts(this.#former) }
  }

  /** The opposite of `toJSON`. Accounts that failed there must not be among the accounts of this client. */
  restore({ listing, failed, former }: AccountsData): void {
    for (const name of listing) this.#listing.add(name)
    for (const [name, why] of failed) this.noteElsewhere(name, why)
    for (const [name, why] of former) this.#former.set(name, new AccountError(name, why))
  }

  /** Notes that an account failed in another process, or that this one has no token of it. */
  noteElsewhere(name: string, why: string): void {
    this.#elsewhere.set(name, new AccountError(name, why))
  }

  /** What is known of a project, for another process. */
  routeOf(pid: string): ProjectRoute {
    const listed = [...(this.#listed.get(pid) ?? [])]
    return { listed, seen: [...(this.#seen.get(pid) ?? [])], reader: this.#readers.get(pid)?.name ?? null }
  }

  /** Notes what another process knows of a project. */
  noteRoute(pid: string, { listed, seen, reader }: ProjectRoute): void {
    this.#listed.set(pid, new Map(listed))
    // a reader that neither lists it nor listed it before is needed all the same to know whether it exists
    this.#seen.set(pid, new Set(reader === null ? seen : [...seen, reader]))
    if (reader !== null) this.noteReader(pid, reader)
  }

  /** Notes which account read a project in another process. */
  noteReader(pid: string, name: string): void {
    const account = this.#find(name)
    if (account !== undefined) this.#readers.set(pid, account)
  }

  /** Adds what an account was offered in another process. */
  addOffered(name: string, offered: Offered): void {
    const account = this.#find(name)
    // one project may refuse what another offers
    for (const [id, isOffered] of Object.entries(offered) as [OptionalOperation, boolean][])
      if (account !== undefined) account.offered[id] = isOffered || account.offered[id] === true
  }

  /** The account that is asked first about a project. */
  bestFor(pid: string): string | undefined {
    const { first, others } = this.candidatesFor('projects.get', pid)
    return [...first, ...others][0]?.name
  }

  /** Why none of the accounts that know a project is asked for its records; `undefined`: one is, or it is not known who can read it. */
  unreadable(pid: string): AccountError | undefined {
    const { first, others } = this.candidatesFor('tasks.list', pid)
    return first.length + others.length === 0 ? this.failedFor(pid)[0] : undefined
  }

  /** Stops using an account. */
  fail(account: AccountState, error: CollabError): AccountError {
    account.failure ??= new AccountError(account.name, error.message, error)
    return account.failure
  }

  /** Stops using an account whose list of projects could not be read in this run. */
  retire(name: string, error: AccountError): void {
    const account = this.#find(name)
    if (account !== undefined && !this.#listing.has(name)) account.failure ??= error
  }

  /** The error of a client of which every account has failed. */
  allFailed(): SignInError {
    const failures = this.#all.flatMap(({ failure }) => failure ?? [])
    const areRefused = failures.every(({ cause }) => isAuthError(cause))
    const kind = areRefused ? 'refused' : 'unreachable'
    return new SignInError(kind, `all accounts have failed: ${messageOfAccounts(failures)}`)
  }

  /**
   * Which accounts to ask, best first. Those that neither list nor read a project are asked only whether it exists, also if they listed it in
   * earlier runs: the service may answer their requests for its lists with empty ones.
   */
  candidatesFor(operation: string, pid: string | undefined): Candidates {
    const { usable } = this
    if (!this.areSeveral || pid === undefined) return { first: usable, others: [] }
    const listed = this.#listed.get(pid)
    const [answering, reader] = [this.#answering.get(`${operation} ${pid}`), this.#readers.get(pid)]
    const known = this.#knownBy(pid, reader)
    if (known.size === 0) return { first: [], others: usable }
    const rank = (account: AccountState): number => {
      if (account === answering) return 0
      if (account.offered[operation as OptionalOperation] === false) return 4
      if (account === reader) return 1
      return listed?.has(account.name) ? 2 : 3
    }
    const rights = ({ name }: AccountState) => rightsOf(listed?.get(name))
    const first = usable.filter(({ name }) => known.has(name))
    const strangers = usable.filter(({ name }) => !known.has(name) && !listed?.has(name))
    return {
      first: first.toSorted((a, b) => rank(a) - rank(b) || rights(b) - rights(a)),
      others: operation === 'projects.get' ? strangers : [],
    }
  }

  /** Names of accounts that list a project and may read it, and of its reader; if there is none, of those that listed it in earlier runs. */
  #knownBy(pid: string, reader: AccountState | undefined): Set<string> {
    const listed = this.#listed.get(pid) ?? new Map<string, number | null>()
    const mayRead = [...listed].flatMap(([name, permission]) => (permission === 0 ? [] : [name]))
    const known = new Set(reader === undefined ? mayRead : [...mayRead, reader.name])
    return known.size > 0 ? known : new Set([...(this.#seen.get(pid) ?? [])].filter((name) => !listed.has(name)))
  }

  /**
   * Notes who answered a request.
   * @param instead the reader of the project does not know it (`project`), or may not do this (`operation`)
   */
  answered(account: AccountState, operation: string, pid: string, instead: 'project' | 'operation' | null): void {
    const [key, reader] = [`${operation} ${pid}`, this.#readers.get(pid)]
    if (instead === 'operation' || account === this.#answering.get(key)) this.#answering.set(key, account)
    else if (instead === 'project' || reader === undefined || reader.failure) {
      this.#readers.set(pid, account)
      this.#noteSeen(pid, account.name)
    }
  }

  #noteSeen(pid: string, name: string): void {
    const names = this.#seen.get(pid) ?? new Set<string>()
    this.#seen.set(pid, names.add(name))
  }

  /**
   * Failed accounts that may know a project: those that saw it, and those that failed before their lists were read, as they may have been
   * invited since; all, if it is not known who saw it.
   */
  failedFor(pid: string): AccountError[] {
    const seen = new Set([...(this.#seen.get(pid) ?? []), ...(this.#listed.get(pid)?.keys() ?? [])])
    const isUnread = (name: string) => !this.#former.has(name) && !this.#listing.has(name)
    const mayKnow = (name: string) => seen.size === 0 || seen.has(name) || isUnread(name)
    return [...this.failures].flatMap(([name, error]) => (mayKnow(name) ? [error] : []))
  }
}
