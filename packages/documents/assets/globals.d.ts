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

/** A task as the lists know it. */
interface ListedTask {
  readonly title: string
  readonly group: string | null
  readonly labels: readonly string[]
}

interface TaskFilters {
  readonly text: string
  /** `null`: any; empty: none. */
  readonly group: string | null
  readonly person: string | null
  readonly label: string | null
  readonly state: string
  readonly due: string
  readonly sort: string
}

declare var collabLists: {
  start(): void
  asOf(time: string | null): void
  data(name: string, json: string): void
  // biome-ignore lint/suspicious/noExplicitAny: the element of any tag
  make(tag: string, properties?: object, ...children: unknown[]): any
  compareTexts(a: string, b: string): number
  markOverdue(within: ParentNode): void
  loadRows(finder: Element): Promise<ListedTask[]>
  matching(all: readonly ListedTask[], filters: TaskFilters): ListedTask[]
  tableRow(row: ListedTask): HTMLElement
  readonly names: { readonly groups: Map<string, string>; readonly people: Map<string, string> }
  readonly columns: readonly string[]
  readonly states: Readonly<Record<string, string>>
  readonly dues: Readonly<Record<string, string>>
  /** By name; what each is called comes first. */
  readonly sorts: Readonly<Record<string, readonly unknown[]>>
}

declare var collabFinder: { start(finder: Element): void }
