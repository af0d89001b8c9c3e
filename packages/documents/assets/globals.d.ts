// What the scripts of the site find in one another, as each is loaded by itself.

interface Project {
  readonly folder: string
  readonly name: string | null
  readonly segments: readonly Omit<Segment, 'project'>[]
}

/** A part of a project's index. The index writer explains the fields. */
interface Segment {
  readonly project: Project
  readonly name: string
  readonly kinds: readonly (readonly [kind: string, entries: number])[]
  readonly parts: readonly string[]
  readonly blocks: readonly number[]
}

/** A term of a question. */
interface Term {
  readonly text: string
  /** Whether longer words that begin with it are meant too. */
  readonly mayContinue: boolean
  /** How many typing mistakes it may have. */
  readonly mistakes: number
  /** Whether similar words are looked for. */
  isFuzzy: boolean
  /** The mistakes of each word that it was compared with. */
  readonly similar: Map<string, number>
}

/** What is known of a term by the number of a record. */
interface TermWeights {
  /** 0 if the record does not have it. */
  readonly weights: Float32Array
  /** 1 if the record has only a similar word. */
  readonly isSimilar: Uint8Array
  /** The entry of the record that has it. */
  readonly places: Uint32Array
}

interface SegmentHits {
  readonly segment: Segment
  /** The numbers of the records that have all terms. */
  readonly hits: readonly number[]
  readonly byTerm: readonly TermWeights[]
  readonly kindAt: readonly string[]
  /** Number of the records that have each term. */
  readonly counts: readonly number[]
  readonly records: number
}

interface Found {
  readonly question: string
  readonly terms: readonly Term[]
  /** By the number of the segment; with holes while segments are read. */
  readonly parts: SegmentHits[]
}

interface Report {
  readonly found: Found
  /** Of the segments, from 0 to 1. */
  readonly share: number
  /** Whether words are looked for that are only similar. */
  readonly isForSimilar: boolean
  readonly isLast: boolean
}

/** A record among the best. */
interface Hit {
  readonly segment: Segment
  readonly record: number
  readonly place: number
  readonly kind: string
  readonly score: number
}

interface Best {
  readonly results: readonly Hit[]
  readonly total: number
  /** Number of records of each kind, also of those that are not chosen. */
  readonly kinds: ReadonlyMap<string, number>
  /** Number of records of the chosen kind by the folder of their project. */
  readonly folders: ReadonlyMap<string, number>
}

interface Piece {
  readonly text: string
  readonly isHit: boolean
}

interface Description {
  readonly kind: string
  readonly project: Project
  /** From the project's folder. */
  readonly address: string
  readonly path: readonly string[]
  readonly date: string | null
  /** Where it was found, if not in the main text or the title. */
  readonly field: string | null
  readonly title: readonly Piece[]
  readonly excerpt: readonly Piece[]
}

interface Place {
  readonly from: number
  readonly to: number
}

declare var collabTerms: {
  ofText(text: string): string[]
  ofQuestion(text: string): string[]
  mayContinue(term: string): boolean
  mistakes(term: string): number
  readonly weights: readonly number[]
  folded(text: string): string
}

declare var collabMatch: {
  partsOf(segment: Segment, term: string, mayContinue: boolean): number[]
  hitsIn(segment: Segment, terms: readonly Term[], textsOf: (term: Term) => string[]): SegmentHits
  patternOf(question: string, terms: readonly Term[]): RegExp
  placesIn(text: string, pattern: RegExp): Place[]
  marked(text: string, places: readonly Place[]): Piece[]
}

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

declare var collabLanguage: {
  /** A text of the site in the reader's language; each `#` becomes the next number. */
  t(english: string, ...numbers: number[]): string
  /** Of dates and numbers. */
  readonly locales: readonly string[]
  /** When the page is translated. */
  readonly ready: Promise<void>
}

/** Dictionaries by language. */
declare var collabTexts: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined

declare var collabSite: {
  /** An element with its properties and children. */
  // biome-ignore lint/suspicious/noExplicitAny: the element of any tag
  make(tag: string, properties?: object, ...children: unknown[]): any
  /** Runs one of the site's scripts, once. */
  load(src: string): Promise<unknown>
}

declare var collabLists: {
  start(): void
  asOf(time: string | null): void
  data(name: string, json: string): void
  compareTexts(a: string, b: string): number
  markOverdue(within: ParentNode): void
  loadRows(finder: Element): Promise<ListedTask[]>
  matching(all: readonly ListedTask[], filters: TaskFilters): ListedTask[]
  tableRow(row: ListedTask): HTMLElement
  labelText(label: string): string
  readonly names: { readonly groups: Map<string, string>; readonly people: Map<string, string> }
  readonly columns: readonly string[]
  readonly states: Readonly<Record<string, string>>
  readonly dues: Readonly<Record<string, string>>
  /** By name; what each is called comes first. */
  readonly sorts: Readonly<Record<string, readonly unknown[]>>
}

declare var collabFinder: { start(finder: Element): void }

declare var collabSearch: {
  prepare(): Promise<void>
  listed(): readonly Project[]
  find(question: string, folder: string, isCurrent: () => boolean, onFound: (report: Report) => void): Promise<void>
  best(found: Found, kind: string, most: number): Best
  describe(hit: Hit, found: Found): Promise<Description>
}
