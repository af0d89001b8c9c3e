import type { PreviousFiles } from '../../format.ts'
import { dataIn, type Entry, MAX_PIECE, pathOf, type SearchSegment, SHOWN } from './shard-writer.ts'

/** The texts of a project in the search index of the previous backup. */
export class PreviousTexts {
  readonly #entries: AsyncGenerator<Entry, void, undefined>

  /** `folder` is the project's, relative to the site's. */
  constructor(files: PreviousFiles, folder: string, segments: readonly SearchSegment[]) {
    this.#entries = entriesOf(files, folder, segments)
  }

  /**
   * The text of a record. It must be in the previous index, and records be asked for in their order.
   * @returns `null` if it cannot be read, or is not in one entry as it was added
   */
  async textAt(address: string): Promise<string | null> {
    for (let next = await this.#entries.next(); !next.done; next = await this.#entries.next()) {
      if (typeof next.value === 'string') continue
      const [title, ofEntry, , , text] = next.value
      if (ofEntry === address) return title.length > SHOWN.title || text.length >= MAX_PIECE ? null : text
    }
    return null
  }
}

async function* entriesOf(
  files: PreviousFiles,
  folder: string,
  segments: readonly SearchSegment[],
): AsyncGenerator<Entry, void, undefined> {
  for (const { name, blocks } of segments) {
    for (const block of blocks.keys()) {
      const path = pathOf(folder, `${name}-d${block}`)
      const script = await files.text(path.file)
      if (script !== null) yield* JSON.parse(dataIn(script, path.address)) as Entry[] // `ShardWriter` wrote it
    }
  }
}
