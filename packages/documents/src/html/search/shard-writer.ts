import { hash } from 'node:crypto'
import type { FileSink } from '../../format.ts'
import { HTML_FOLDER } from '../site-paths.ts'
import { TermIndex } from './term-index.ts'
import type { Terms } from './terms.ts'

/**
 * A segment is the index of records that follow one another, independent of the others: a changed record changes files of one segment.
 * From `from` UTF-16 units of text on, one record in `oneIn` begins the next one, so that an added record does not move the others. The
 * limits hold in any case; only a record that exceeds them is not divided, except by `terms`.
 */
const SEGMENT = { from: 1_000_000, oneIn: 256, at: 3_000_000, terms: 100_000, entries: 16_384 } as const

/** UTF-16 units of text in an entry at most; longer texts are several entries of one record. */
const MAX_ENTRY = 50_000

/** How far before its end an entry of a longer text may be cut, and the length from which an entry may be such a one. */
const MAX_CUT = 1000
export const MAX_PIECE = MAX_ENTRY - MAX_CUT

/** The same for the files of entries within a segment, in UTF-16 units of JSON. */
const BLOCK = { from: 49_152, oneIn: 8, at: 98_304 } as const

/** UTF-16 units that results show of a title and of each title above it, and how many of these. */
export const SHOWN = { title: 300, above: 80, levels: 6 } as const

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

/** What the search knows of a segment before it loads any of its files. */
export interface SearchSegment {
  /** The names of its files begin with it: `<name>-t<part>.js` for terms, `<name>-d<block>.js` for entries. */
  readonly name: string
  /** The kinds of its entries in order, each with how many follow one another; `''` continues the entry before. */
  readonly kinds: readonly (readonly [kind: SearchKind | '', entries: number])[]
  /** The first term of each part. */
  readonly parts: readonly string[]
  /** The number of the first entry of each block. */
  readonly blocks: readonly number[]
}

/** An entry as results show it; only the text where it continues the entry before. */
export type Entry =
  | readonly [title: string, address: string, path: readonly string[], date: string | null, text: string]
  | string

/** Writes the search index of one project. */
export class ShardWriter {
  readonly #bag: FileSink
  readonly #folder: string
  readonly #segments: SearchSegment[] = []
  #name = ''
  readonly #index: TermIndex
  #length = 0
  #kinds: [kind: SearchKind | '', entries: number][] = []
  #blocks: number[] = []
  /** Of the current block, as JSON. */
  #entries: string[] = []
  #entriesLength = 0

  /** `folder` is the project's, relative to the site's. */
  constructor(bag: FileSink, folder: string, terms: Terms) {
    this.#bag = bag
    this.#folder = folder
    this.#index = new TermIndex(terms)
  }

  async add({ kind, id, title, address, path, date, text }: SearchDocument): Promise<void> {
    const digest = hash('sha256', Buffer.from(`${kind} ${id}`, 'utf16le'), 'hex').slice(0, 16)
    const chance = Number.parseInt(digest.slice(0, 8), 16)
    if (this.#length >= (chance % SEGMENT.oneIn === 0 ? SEGMENT.from : SEGMENT.at)) await this.#flush()
    if (this.#entriesLength >= (chance % BLOCK.oneIn === 0 ? BLOCK.from : BLOCK.at)) await this.#writeBlock()
    const indexed = title.slice(0, MAX_ENTRY)
    // What does not fit is found as text.
    const all = title.length > MAX_ENTRY ? `${title.slice(MAX_ENTRY)} ${text}` : text
    const above = path.slice(-SHOWN.levels).map((name) => cut(name, SHOWN.above))
    for (const part of pieces(all)) {
      const isFull = this.#index.terms >= SEGMENT.terms || this.#index.entries >= SEGMENT.entries
      if (isFull) await this.#flush()
      const isFirst = part.from === 0 || this.#index.entries === 0
      if (this.#index.entries === 0) this.#name = part.from === 0 ? digest : `${digest}-${part.from}`
      this.#index.add(isFirst ? indexed : '', part.text)
      const entry = isFirst ? ([cut(title, SHOWN.title), address, above, date, part.text] as const) : part.text
      await this.#addEntry(isFirst ? kind : '', entry)
      this.#length += part.text.length + (isFirst ? indexed.length : 0)
    }
  }

  /** @returns its segments, for the data that the search loads first */
  async end(): Promise<readonly SearchSegment[]> {
    await this.#flush()
    return this.#segments
  }

  async #addEntry(kind: SearchKind | '', entry: Entry): Promise<void> {
    const last = this.#kinds.at(-1)
    if (last?.[0] === kind) last[1] += 1
    else this.#kinds.push([kind, 1])
    if (this.#entries.length === 0) this.#blocks.push(this.#index.entries - 1)
    const json = JSON.stringify(entry)
    this.#entries.push(json)
    this.#entriesLength += json.length
    if (this.#entriesLength >= BLOCK.at) await this.#writeBlock()
  }

  async #flush(): Promise<void> {
    if (this.#index.entries === 0) return
    await this.#writeBlock()
    const parts: string[] = []
    for (const { first, text } of this.#index.parts()) {
      await this.#write(`${this.#name}-t${parts.length}`, text)
      parts.push(first)
    }
    this.#segments.push({ name: this.#name, kinds: this.#kinds, parts, blocks: this.#blocks })
    this.#index.clear()
    this.#length = 0
    this.#kinds = []
    this.#blocks = []
  }

  async #writeBlock(): Promise<void> {
    if (this.#entries.length === 0) return
    await this.#write(`${this.#name}-d${this.#blocks.length - 1}`, `[${this.#entries.join(',')}]`)
    this.#entries = []
    this.#entriesLength = 0
  }

  async #write(name: string, data: string): Promise<void> {
    const { file, address } = pathOf(this.#folder, name)
    await this.#bag.add(file, scriptOf(data, address))
  }
}

/** The path of a script, relative to `data/`, and its address from the site's folder. */
export function pathOf(folder: string, name: string): { readonly file: string; readonly address: string } {
  const address = `${folder}/search/${name}.js`
  return { file: `${HTML_FOLDER}/${address}`, address }
}

/** A script, as a page on a disk can load nothing else; its data is a text, which is read faster than code. */
function scriptOf(data: string, address: string): string {
  const text = data.replace(/[\\']/g, '\\$&').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return `${beginningOf(address)}${text}${END}`
}

/** The data in a script. */
export function dataIn(script: string, address: string): string {
  const text = script.slice(beginningOf(address).length, -END.length)
  return text.replace(/\\(u202[89]|.)/gs, (_whole, escaped: string) =>
    escaped === 'u2028' ? '\u2028' : escaped === 'u2029' ? '\u2029' : escaped,
  )
}

const END = `')\n`

function beginningOf(address: string): string {
  return `collabSearch.data(${JSON.stringify(address)}, '`
}

/**
 * A text in pieces of the size of an entry; an empty text is one. They end between words. Where there is no space, the next one begins
 * with the last two characters again, as these may be a term.
 */
function* pieces(text: string): Generator<{ readonly from: number; readonly text: string }> {
  let from = 0
  while (from + MAX_ENTRY < text.length) {
    const end = from + MAX_ENTRY
    const space = text.lastIndexOf(' ', end)
    const hasSpace = space > end - MAX_CUT
    const to = hasSpace ? space : end
    yield { from, text: text.slice(from, to).toWellFormed() }
    from = hasSpace ? to : to - 4
  }
  yield { from, text: text.slice(from).toWellFormed() }
}

function cut(text: string, length: number): string {
  return (text.length <= length ? text : `${text.slice(0, length)}…`).toWellFormed()
}
