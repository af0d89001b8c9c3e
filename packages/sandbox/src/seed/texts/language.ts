/** What people write in one language. Every list is non-empty. */
export interface Language {
  readonly code: string
  /** Name, and nickname in Latin letters. */
  readonly people: readonly (readonly [name: string, nickname: string])[]
  readonly projects: readonly string[]
  readonly entries: readonly string[]
  /** Task names are one of `doing` with `{}` replaced by one of `things`. */
  readonly doing: readonly string[]
  readonly things: readonly string[]
  readonly pages: readonly string[]
  readonly posts: readonly string[]
  readonly events: readonly string[]
  readonly places: readonly string[]
  readonly headings: readonly string[]
  readonly sentences: readonly string[]
  readonly comments: readonly string[]
  /** A sentence that leads somewhere; `{}` is the link. */
  readonly see: readonly string[]
}
