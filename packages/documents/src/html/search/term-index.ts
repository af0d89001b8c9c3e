import { detached, type Terms } from './terms.ts'

/** UTF-16 units from which a part ends where the next term begins with other letters, and at which it ends anyway. */
const PART = { from: 32_768, at: 131_072 } as const

/** More occurrences in a text weigh no more. */
const MAX_COUNT = 100

/** Numbers of a posting: term, entry, weight. */
const POSTING = 3

/** A part of the index: terms in the order of their UTF-16 units, each with its postings. */
export interface IndexPart {
  readonly first: string
  readonly text: string
}

/**
 * The terms of entries that are numbered from 0, each with the entries that have it.
 *
 * The text of a part is ` term:postings term:postings…`. A posting is the weight, a capital letter, and the distance from the entry before
 * (from -1 at first) in base 36, which is left out if it is 1. Postings are numbers outside of V8's heap until then: maps of lists take
 * several times the memory.
 */
export class TermIndex {
  readonly #split: Terms
  readonly #numbers = new Map<string, number>()
  #postings = new Uint32Array(POSTING * 4096)
  /** The places of the postings by their terms. */
  #sorted = new Uint32Array(0)
  #length = 0
  #entries = 0

  constructor(split: Terms) {
    this.#split = split
  }

  get terms(): number {
    return this.#numbers.size
  }

  get entries(): number {
    return this.#entries
  }

  /** Removes all entries. The memory of their postings is used again: giving it back for each segment leaves gaps that nothing else fills. */
  clear(): void {
    this.#numbers.clear()
    this.#length = 0
    this.#entries = 0
  }

  /** Adds the next entry. `title` is empty for a continued text. */
  add(title: string, text: string): void {
    const [titleTerms, textCounts] = [countsOf(title, this.#split), countsOf(text, this.#split)]
    // Most terms have one of a few weights.
    const weights: number[] = []
    const add = (term: string, count: number, isInTitle: boolean) => {
      const known = count * 2 + Number(isInTitle)
      weights[known] ??= this.#split.weight(count, textCounts.size, isInTitle, titleTerms.size)
      this.#addPosting(term, weights[known])
    }
    for (const [term, count] of textCounts) add(term, Math.min(count, MAX_COUNT), titleTerms.has(term))
    for (const term of titleTerms.keys()) if (!textCounts.has(term)) add(term, 0, true)
    this.#entries += 1
  }

  *parts(): Generator<IndexPart> {
    const terms = [...this.#numbers.keys()]
    const byTerm = this.#byTerm(terms.length)
    let part = { first: '', text: '' }
    let previous = ''
    for (const term of terms.toSorted()) {
      const isFull = part.text.length >= PART.at || (part.text.length >= PART.from && !beginAlike(previous, term))
      if (isFull) yield part
      if (isFull || part.text === '') part = { first: term, text: '' }
      part.text += ` ${term}:${byTerm(this.#numbers.get(term) ?? 0)}`
      previous = term
    }
    if (part.text !== '') yield part
  }

  #addPosting(term: string, weight: number): void {
    let number = this.#numbers.get(term)
    if (number === undefined) {
      number = this.#numbers.size
      this.#numbers.set(detached(term), number)
    }
    if (this.#length === this.#postings.length) {
      const larger = new Uint32Array(this.#length * 2)
      larger.set(this.#postings)
      this.#postings = larger
    }
    this.#postings[this.#length++] = number
    this.#postings[this.#length++] = this.#entries
    this.#postings[this.#length++] = weight
  }

  /** Gives the postings of a term by its number: in the order of entries, as they were added. */
  #byTerm(terms: number): (number: number) => string {
    const ends = new Uint32Array(terms + 1)
    const at = (index: number) => this.#postings[index] ?? 0
    for (let index = 0; index < this.#length; index += POSTING) ends[at(index)] = (ends[at(index)] ?? 0) + 1
    let sum = 0
    for (const [number, count] of ends.entries()) {
      ends[number] = sum
      sum += count
    }
    if (this.#sorted.length < sum) this.#sorted = new Uint32Array(this.#postings.length / POSTING)
    const sorted = this.#sorted
    for (let index = 0; index < this.#length; index += POSTING) {
      const place = ends[at(index)] ?? 0
      sorted[place] = index
      ends[at(index)] = place + 1
    }
    return (number) => {
      let text = ''
      let before = -1
      for (const index of sorted.subarray(number === 0 ? 0 : ends[number - 1], ends[number])) {
        const [entry, weight] = [at(index + 1), at(index + 2)]
        text += this.#split.letterOf(weight) + (entry - before === 1 ? '' : (entry - before).toString(36))
        before = entry
      }
      return text
    }
  }
}

/** How often a text has each term. No term contains a space or depends on the text beyond one, so each repeated word is split only once. */
export function countsOf(text: string, { ofText }: Terms): Map<string, number> {
  const pieces = new Map<string, number>()
  for (const piece of text.split(' ')) pieces.set(piece, (pieces.get(piece) ?? 0) + 1)
  const counts = new Map<string, number>()
  for (const [piece, count] of pieces)
    for (const term of ofText(piece)) counts.set(term, (counts.get(term) ?? 0) + count)
  return counts
}

/** Parts end between terms that begin with other letters, so that most questions need one part of each segment. */
function beginAlike(a: string, b: string): boolean {
  return a.slice(0, 2) === b.slice(0, 2)
}
