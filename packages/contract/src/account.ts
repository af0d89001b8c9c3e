/** The user of an access token. */
export interface Account {
  readonly uid: string
  /** `null`: the service gave none. */
  readonly name: string | null
}

/** The name of the only account of a configuration, if it has none. */
export const DEFAULT_ACCOUNT = 'default'
