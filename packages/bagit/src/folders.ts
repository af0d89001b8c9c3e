import { makeDirectory } from '@collab-etl/lock'
import { FOLDER_MODE } from './hashed-file.ts'

/** Maximum number of created folders that are remembered; others are created again, without effect. */
const REMEMBERED = 5000

/** Creates the folders of a new bag's files, each once. */
export class Folders {
  readonly #bag: string
  readonly #made = new Set<string>()

  constructor(bag: string) {
    this.#bag = bag
  }

  /** Creates the folder of a file, whose path is relative to the bag. Synchronous: passing the call to another thread takes longer. */
  makeFor(path: string): void {
    const folder = path.slice(0, path.lastIndexOf('/'))
    if (this.#made.has(folder)) return
    makeDirectory(`${this.#bag}/${folder}`, FOLDER_MODE)
    if (this.#made.size >= REMEMBERED) this.#made.clear()
    // Not a slice of the path, which V8 would keep with it.
    this.#made.add(Buffer.from(folder).toString())
  }
}
