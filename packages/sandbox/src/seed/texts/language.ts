/** Sample texts in one language. No list is empty. */
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
  /** Sentences with a link, in place of `{}`. */
  readonly see: readonly string[]
}

/** A list of short texts, separated by `|` or line ends. */
export function phrases(text: string): string[] {
  return text.trim().split(/ *[|\n] */)
}
