// What the scripts of the site find in one another, as each is loaded by itself.

interface SearchResult {
  readonly id: number
  readonly score: number
  readonly title: string
  readonly kind: string
  /** From the project's folder. */
  readonly address: string
  readonly shard: { readonly project: { readonly folder: string; readonly name: string | null } }
}

interface Found {
  readonly results: readonly SearchResult[]
  readonly total: number
  /** Of the index, from 0 to 1. */
  readonly share: number
  readonly isLast: boolean
}

interface Piece {
  readonly text: string
  readonly isHit: boolean
}

declare var collabTerms: {
  ofText(text: string): string[]
  ofQuestion(text: string): string[]
  mayContinue(term: string): boolean
  folded(text: string): string
}

declare var collabSearch: {
  find(question: string, folder: string, isCurrent: () => boolean, onFound: (found: Found) => void): Promise<void>
  excerpt(result: SearchResult, question: string): Promise<Piece[]>
  marked(text: string, question: string): Piece[]
}

declare var MiniSearch: typeof import('minisearch').default
