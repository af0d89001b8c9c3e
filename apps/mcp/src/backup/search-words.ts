import { searchWords } from '@collab-etl/contract/search-words'
import { ToolError } from '../errors.ts'

const EXCERPT = 240
const BEFORE_WORD = 80

/** The words of a search, found in any case. */
export class SearchWords {
  /** In lower case. */
  readonly words: readonly string[]

  constructor(query: string) {
    const words = searchWords(query)
    if ('problem' in words) throw new ToolError(words.problem)
    this.words = [...new Set(words.map((word) => word.toLowerCase()))]
  }

  /** Whether each word is in the title or in the text. */
  areIn(title: string | null, text: string): boolean {
    const [one, other] = [title?.toLowerCase() ?? '', text.toLowerCase()]
    return this.words.every((word) => one.includes(word) || other.includes(word))
  }

  /** How many of the words are in a title. */
  countIn(title: string | null): number {
    const text = title?.toLowerCase() ?? ''
    return this.words.filter((word) => text.includes(word)).length
  }

  /** The text around the first word that is in it; else its beginning. */
  excerpt(text: string): string {
    const lower = text.toLowerCase()
    const places = this.words.map((word) => lower.indexOf(word)).filter((place) => place !== -1)
    const place = Math.min(...(places.length > 0 ? places : [0]))
    // A character takes at most two UTF-16 units.
    const before = [...text.slice(Math.max(0, place - 2 * BEFORE_WORD), place)].slice(-BEFORE_WORD)
    const after = [...text.slice(place, place + 2 * EXCERPT)].slice(0, EXCERPT - before.length)
    return [...before, ...after].join('').toWellFormed()
  }
}
