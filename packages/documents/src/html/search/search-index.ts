/** A record, or a part of one, as the search finds it. */
export interface Entry {
  readonly title: string
  readonly text: string
  readonly kind: string
  readonly address: string
  readonly path: readonly string[]
  readonly date: string | null
}

/** The numbers of the entries that have a term in a field, each followed by the number of its occurrences. */
type Postings = number[]

const FIELDS = ['title', 'text'] as const

/**
 * An index of entries in the serialised form of MiniSearch 7, which loads it in the browser. Making MiniSearch's own index, which can be
 * searched, and serialising it takes twice the time and memory.
 */
export class SearchIndex {
  readonly #termsOf: (text: string) => readonly string[]
  /** In the order in which they were first found. */
  readonly #terms = new Map<string, readonly [title: Postings, text: Postings]>()
  readonly #stored: Omit<Entry, 'text'>[] = []
  /** Number of different terms of each entry's fields. */
  readonly #lengths: number[][] = []
  readonly #means = [0, 0]

  constructor(termsOf: (text: string) => readonly string[]) {
    this.#termsOf = termsOf
  }

  add(entry: Entry): void {
    const { text: _text, ...stored } = entry
    const number = this.#stored.push(stored) - 1
    this.#lengths.push(FIELDS.map((field, index) => this.#addField(number, index, this.#termsOf(entry[field]))))
  }

  toString(): string {
    const numbers = [...this.#stored.keys()]
    const byNumber = <T>(values: readonly T[]) => Object.fromEntries(values.entries())
    const head = {
      ...{ documentCount: numbers.length, nextId: numbers.length, documentIds: byNumber(numbers) },
      ...{ fieldIds: Object.fromEntries(FIELDS.map((field, index) => [field, index])) },
      ...{ fieldLength: byNumber(this.#lengths), averageFieldLength: this.#means },
      ...{ storedFields: byNumber(this.#stored), dirtCount: 0, serializationVersion: 2 },
    }
    const terms: string[] = []
    for (const [term, fields] of this.#terms) {
      const present = fields.flatMap((postings, field) =>
        postings.length > 0 ? [`"${field}":{${pairs(postings)}}`] : [],
      )
      terms.push(`[${JSON.stringify(term)},{${present.join(',')}}]`)
    }
    return `${JSON.stringify(head).slice(0, -1)},"index":[${terms.join(',')}]}`
  }

  #addField(number: number, field: number, terms: readonly string[]): number {
    for (const term of terms) {
      const postings = this.#postings(term)[field] ?? []
      const last = postings.length - 1
      if (postings[last - 1] === number) postings[last] = (postings[last] ?? 0) + 1
      else postings.push(number, 1)
    }
    const length = new Set(terms).size
    this.#means[field] = ((this.#means[field] ?? 0) * number + length) / (number + 1)
    return length
  }

  #postings(term: string): readonly [Postings, Postings] {
    const known = this.#terms.get(term)
    if (known !== undefined) return known
    const fresh = [[], []] as const satisfies readonly [Postings, Postings]
    this.#terms.set(term, fresh)
    return fresh
  }
}

function pairs(postings: Postings): string {
  let text = ''
  for (let at = 0; at < postings.length; at += 2) text += `${at === 0 ? '' : ','}"${postings[at]}":${postings[at + 1]}`
  return text
}
