import type { SearchSource } from './search-sources.ts'

const ALNUM = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The mark of texts whose tokens are not in the index; see the function `search_tokens`. */
const LONG = `'{long}'`

/** Tokens of which a text that has the form of a term has all, and sets of tokens of which it has one each. */
interface FormTokens {
  readonly all: readonly string[]
  readonly any: readonly (readonly string[])[]
}

/**
 * What an index knows of a text that contains a form, by the tokens of the function `search_tokens`; `null`: nothing, as of a single
 * ASCII letter.
 * @param form has its ASCII letters in lower case
 */
function tokensOfForm(form: string): FormTokens | null {
  const all = new Set<string>()
  const any: string[][] = []
  for (const [run] of form.matchAll(/[a-z0-9]+|[\u0080-\u{10ffff}]+/gu)) {
    const characters = [...run]
    const isAscii = run.charCodeAt(0) < 0x80
    // any letter may follow, or none
    if (isAscii && characters.length === 2) any.push([run, ...Array.from(ALNUM, (next) => run + next)])
    const size = isAscii ? 3 : Math.min(2, characters.length)
    for (let at = 0; at + size <= characters.length; at++) all.add(characters.slice(at, at + size).join(''))
  }
  if (all.size === 0 && any.length === 0) return null
  // long tokens are rarer than sets of short ones
  return { all: [...all], any: all.size === 0 ? any : [] }
}

/**
 * Conditions by which an index finds at least the rows that have the terms.
 * @param terms the forms of each, see `searchTerms`
 * @param bind adds a parameter, returns its SQL; Postgres wants each in the statement
 */
export class TokenConditions {
  /** Of terms of which an index knows nothing, or too little: `null`. */
  readonly #terms: readonly (readonly FormTokens[] | null)[]
  readonly #bind: (value: unknown) => string

  constructor(terms: readonly (readonly string[])[], bind: (value: unknown) => string) {
    const known = terms.map((forms) => {
      const tokens = forms.map(tokensOfForm).filter((each) => each !== null)
      return tokens.length === forms.length ? tokens : null
    })
    // sets of tokens take longer to look up than what they save beside a term that is found without them
    const areRare = known.map((forms) => forms?.every(({ all }) => all.length > 0) ?? false)
    this.#terms = areRare.includes(true) ? known.map((forms, index) => (areRare[index] ? forms : null)) : known
    this.#bind = bind
  }

  /** Whether an index helps at all. */
  get isSelective(): boolean {
    return this.#known.length > 0
  }

  /** Title and text have all terms. Only if `isSelective`. */
  inAll({ tokens: { all } }: SearchSource): string {
    return this.#joined(all, this.#known, 'AND')
  }

  /** So many of the terms are in the title. Only if `isSelective`. */
  inTitle({ tokens: { title } }: SearchSource, count: number): string {
    if (title === null || count === 0) return 'true'
    if (count === this.#terms.length) return this.#joined(title, this.#known, 'AND')
    return this.#known.length < this.#terms.length ? 'true' : this.#joined(title, this.#known, 'OR')
  }

  get #known(): (readonly FormTokens[])[] {
    return this.#terms.filter((forms) => forms !== null)
  }

  #joined(tokens: string, terms: readonly (readonly FormTokens[])[], operator: 'AND' | 'OR'): string {
    const found = terms.map((forms) => `(${forms.map((form) => this.#form(tokens, form)).join(' OR ')})`)
    return `((${found.join(` ${operator} `)}) OR ${tokens} @> ${LONG})`
  }

  #form(tokens: string, { all, any }: FormTokens): string {
    const parts = any.map((some) => `${tokens} && ${this.#bind(some)}::text[]`)
    if (all.length > 0) parts.push(`${tokens} @> ${this.#bind(all)}::text[]`)
    return `(${parts.join(' AND ')})`
  }
}
