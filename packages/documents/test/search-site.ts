import { readFile } from 'node:fs/promises'
import { createContext, runInContext } from 'node:vm'
import { loadTerms } from '../src/html/index.ts'
import { type SearchDocument, ShardWriter } from '../src/html/search/shard-writer.ts'

const ASSETS = ['terms.js', 'match.js', 'search.js'] as const

const SCRIPTS = new Map(
  await Promise.all(
    ASSETS.map(async (name) => {
      const text = await readFile(new URL(`../assets/${name}`, import.meta.url), 'utf8')
      return [`assets/${name}`, text] as const
    }),
  ),
)

const TERMS = await loadTerms()

/** A record in a project. */
export interface Searched extends SearchDocument {
  readonly folder: string
}

interface Part {
  readonly text: string
  readonly isHit: boolean
}

interface Described {
  readonly address: string
  readonly kind: string
  readonly path: readonly string[]
  readonly date: string | null
  readonly title: readonly Part[]
  readonly excerpt: readonly Part[]
  readonly project: { readonly folder: string }
}

/** What is found of a question. */
interface Answer {
  readonly total: number
  readonly kinds: ReadonlyMap<string, number>
  readonly folders: ReadonlyMap<string, number>
  readonly results: readonly Described[]
}

/** The index of records as files, and the site's own search in them. */
export interface SearchSite {
  readonly files: ReadonlyMap<string, string>
  /** The files that were loaded until now. */
  readonly loaded: ReadonlySet<string>
  ask(question: string, filters?: { readonly folder?: string; readonly kind?: string }): Promise<Answer>
}

interface Scripts {
  readonly collabSearch: {
    find(
      question: string,
      folder: string,
      isCurrent: () => boolean,
      onFound: (report: { readonly found: unknown; readonly isLast: boolean }) => void,
    ): Promise<void>
    best(found: unknown, kind: string, most: number): Omit<Answer, 'results'> & { readonly results: readonly unknown[] }
    describe(result: unknown, found: unknown): Promise<Described>
  }
}

export async function searchSite(records: readonly Searched[]): Promise<SearchSite> {
  const files = new Map<string, string>(SCRIPTS)
  const sink = {
    async add(path: string, text: string) {
      files.set(path.replace(/^html\//, ''), text)
    },
    async stream(): Promise<never> {
      throw new Error('the index has no streams')
    },
  }
  const projects = []
  for (const folder of new Set(records.map((record) => record.folder))) {
    const writer = new ShardWriter(sink, folder, TERMS)
    for (const record of records) if (record.folder === folder) await writer.add(record)
    projects.push({ folder, name: folder, segments: await writer.end() })
  }
  files.set('assets/projects.js', `collabSearch.projects(${JSON.stringify(projects)})`)
  const loaded = new Set<string>()
  const scripts = browser(files, loaded)
  return { files, loaded, ask: (question, filters = {}) => ask(scripts, question, filters) }
}

async function ask(
  { collabSearch }: Scripts,
  question: string,
  { folder = '', kind = '' }: { readonly folder?: string; readonly kind?: string },
): Promise<Answer> {
  let last: unknown = null
  await collabSearch.find(
    question,
    folder,
    () => true,
    ({ found, isLast }) => {
      if (isLast) last = found
    },
  )
  const { results, ...counts } = collabSearch.best(last, kind, 30)
  return { ...counts, results: await Promise.all(results.map((result) => collabSearch.describe(result, last))) }
}

/** As much of a browser as the search uses: elements that run a file when they are added to the page. */
function browser(files: ReadonlyMap<string, string>, loaded: Set<string>): Scripts {
  const run = (script: { src: string; onload(): void; onerror(): void }) => {
    const path = decodeURIComponent(script.src)
    const text = files.get(path)
    loaded.add(path)
    setImmediate(() => {
      if (text === undefined) return script.onerror()
      runInContext(text, context)
      script.onload()
    })
  }
  const document = {
    documentElement: { dataset: { root: '' } },
    createElement: () => ({ remove() {} }),
    head: { append: run },
  }
  const context = createContext({ document, performance, setTimeout })
  runInContext(SCRIPTS.get('assets/search.js') ?? '', context)
  return context as unknown as Scripts
}
