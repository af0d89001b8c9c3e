import { hash } from 'node:crypto'
import { createContext, runInContext } from 'node:vm'
import type { FileSink } from '../../format.ts'
import { readAsset } from '../assets.ts'
import { HTML_FOLDER } from '../site-paths.ts'
import { SearchIndex } from './search-index.ts'

/** UTF-16 units of text in a shard at most. */
const MAX_SHARD_LENGTH = 125_000

/** UTF-16 units of text in an entry at most; longer texts are several entries of one page. */
const MAX_ENTRY_LENGTH = 50_000

/** One record in so many begins a new shard, independent of the others: an added page changes one shard, not all after it. */
const RECORDS_PER_SHARD = 512

type SearchKind = 'page' | 'post' | 'task' | 'event' | 'file' | 'person'

/** A record in the search index. */
export interface SearchDocument {
  readonly kind: SearchKind
  readonly id: string
  readonly title: string
  /** Address of its file from the project's folder; it may have a fragment. */
  readonly address: string
  /** The titles of what is above it in its project, from the top down: pages, a task group, a folder. */
  readonly path: readonly string[]
  /** Time shown beside it, in ISO 8601; `null` if there is none. */
  readonly date: string | null
  readonly text: string
}

/** Writes the search index of one project in shards, two files each: the index itself, and the texts for its results. */
export class ShardWriter {
  readonly #bag: FileSink
  readonly #folder: string
  readonly #terms: Terms
  readonly #names: string[] = []
  #index: SearchIndex
  #texts: string[] = []
  #length = 0
  #name = ''

  /** `folder` is the project's, relative to the site's. */
  constructor(bag: FileSink, folder: string, terms: Terms) {
    this.#bag = bag
    this.#folder = folder
    this.#terms = terms
    this.#index = new SearchIndex(terms.ofText)
  }

  async add({ kind, id, title, address, path, date, text }: SearchDocument): Promise<void> {
    const digest = hash('sha256', Buffer.from(`${kind} ${id}`, 'utf16le'), 'hex').slice(0, 16)
    if (Number.parseInt(digest.slice(0, 8), 16) % RECORDS_PER_SHARD === 0) await this.#flush()
    for (let from = 0; from === 0 || from < text.length; from += MAX_ENTRY_LENGTH) {
      const part = text.slice(from, from + MAX_ENTRY_LENGTH).toWellFormed()
      if (this.#length + part.length > MAX_SHARD_LENGTH) await this.#flush()
      if (this.#texts.length === 0) this.#name = from === 0 ? digest : `${digest}-${from}`
      this.#index.add({ kind, title, address, path, date, text: part })
      this.#texts.push(part)
      this.#length += part.length + title.length
    }
  }

  /** The names of the shards, in order. */
  async end(): Promise<readonly string[]> {
    await this.#flush()
    return this.#names
  }

  async #flush(): Promise<void> {
    if (this.#texts.length === 0) return
    await this.#write(this.#name, 'index', String(this.#index))
    await this.#write(`${this.#name}-text`, 'texts', JSON.stringify(this.#texts))
    this.#names.push(this.#name)
    this.#index = new SearchIndex(this.#terms.ofText)
    this.#texts = []
    this.#length = 0
  }

  /** A script, as a page on a disk can load nothing else; the JSON within is a text, which is read faster than code. */
  async #write(name: string, what: 'index' | 'texts', json: string): Promise<void> {
    const text = json.replace(/[\\']/g, '\\$&').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
    const key = JSON.stringify(`${this.#folder}/${this.#name}`)
    await this.#bag.add(`${HTML_FOLDER}/${this.#folder}/search/${name}.js`, `collabSearch.${what}(${key}, '${text}')\n`)
  }
}

/** How texts and questions are split into the terms that are looked up. */
export interface Terms {
  readonly ofText: (text: string) => string[]
  readonly ofQuestion: (text: string) => string[]
  /** Whether longer terms that begin with one of a question are meant too. */
  readonly mayContinue: (term: string) => boolean
}

/** The site's own script for this, so that browser and index split texts in the same way. */
export async function loadTerms(): Promise<Terms> {
  const context: { collabTerms?: Terms } = createContext({})
  runInContext(await readAsset('terms.js'), context)
  if (context.collabTerms === undefined) throw new Error('assets/terms.js defines no terms')
  return context.collabTerms
}
