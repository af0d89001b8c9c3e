import type { Store } from './store/store.ts'

/** A user with a token. */
export interface Account {
  readonly uid: string
  readonly token: string
}

/** The users who have tokens. A request is answered as its token's user sees the service. */
export class Accounts {
  readonly #first: Account
  readonly #store: Store
  readonly #stores = new Map<string, Store>()
  #added = 0

  /** @param token of the store's caller */
  constructor(store: Store, token: string) {
    this.#first = { uid: store.caller.uid, token }
    this.#store = store
    this.#stores.set(token, store)
  }

  /**
   * Issues a token to a user; the user's other tokens stay valid.
   *
   * @param uid default: the next user who has no token
   * @throws RangeError for an unknown user, and if every user has a token
   */
  add(uid: string = this.#nextUser()): Account {
    const token = `${this.#first.token}-${++this.#added}`
    this.#stores.set(token, this.#store.as(uid))
    return { uid, token }
  }

  /** Makes a token invalid, also that of `sandbox.token`. */
  revoke(token: string): void {
    this.#stores.delete(token)
  }

  /** The service as the token's user sees it; `undefined` for an invalid token. */
  storeOf(token: string): Store | undefined {
    return this.#stores.get(token)
  }

  #nextUser(): string {
    const taken = new Set([this.#first.uid, ...[...this.#stores.values()].map(({ caller }) => caller.uid)])
    const next = this.#store.users.find(({ uid, status }) => status === NORMAL && !taken.has(uid))
    if (next === undefined) throw new RangeError('every user of the sandbox has a token')
    return next.uid
  }
}

const NORMAL = 1
