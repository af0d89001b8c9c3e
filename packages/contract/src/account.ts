/** The user of an access token. */
export interface Account {
  readonly uid: string
  /** `null`: the service gave none. */
  readonly name: string | null
}

/** A user for a person to read: name and user id. */
export function userText({ uid, name }: Account): string {
  return name === null ? uid : `${name} (${uid})`
}

/** The name of the only account of a configuration, if it has none. */
export const DEFAULT_ACCOUNT = 'default'
