/** The user of an access token. */
export interface Account {
  readonly uid: string
  /** `null`: the service gave none. */
  readonly name: string | null
}
