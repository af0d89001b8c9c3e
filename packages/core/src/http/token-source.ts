const TOKEN = /^[\x21-\x7e]+$/

/** Whether a text can be a token: it travels in a header, so it has neither spaces nor anything beyond ASCII. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/** Where a client takes its access token from, if the token can change while the client is in use. */
export interface TokenSource {
  /**
   * The token for the next request. May replace it first, if it is about to expire.
   * @throws SignInError if there is no valid token
   */
  current(): Promise<string>
  /**
   * A token to try after the service refused one; `undefined`: there is no other. Parallel calls share one renewal.
   * @throws SignInError if a new token could not be had
   */
  renew(refused: string): Promise<string | undefined>
  /** Texts that must not be shown, such as refresh tokens. The client hides each token that it sends. */
  readonly secrets?: Iterable<string> | undefined
}

/** A token that never changes. */
export function fixedToken(token: string): TokenSource {
  return { current: async () => token, renew: async () => undefined, secrets: [token] }
}
