/** A name that programs refuse, or treat as another one, when they unpack. */
const UNSAFE = /[\\\p{Cc}]|^[A-Za-z]:/u

/**
 * Checks the names in an archive: all are below one folder, and no two are the same on any file system. Memory grows with
 * their number.
 */
export class MemberNames {
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>()
  #root: string | null = null

  /** Whether a path is below the folder. */
  isBelowRoot(path: string): boolean {
    return this.#root !== null && path.startsWith(`${this.#root}/`)
  }

  /** Adds a member. Returns what is wrong with its name; `null` if nothing is. */
  take(path: string, kind: 'file' | 'folder' | 'other'): string | null {
    const parts = path.split('/')
    const [root = ''] = parts
    if (UNSAFE.test(path) || parts.some((part) => ['', '.', '..'].includes(part))) {
      return 'a path that programs unpack to different places'
    }
    this.#root ??= root
    if (root !== this.#root || (kind !== 'folder' && parts.length === 1)) return `outside the folder ${this.#root}`
    const folded = parts.map(foldPart)
    const key = folded.join('/')
    const above = folded.slice(0, -1).map((_part, index) => folded.slice(0, index + 1).join('/'))
    if (this.#files.has(key) || above.some((folder) => this.#files.has(folder))) return 'there under the same name'
    if (kind === 'folder') this.#folders.add(key)
    else if (this.#folders.has(key)) return 'there under the same name'
    else this.#files.add(key)
    for (const folder of above) this.#folders.add(folder)
    return null
  }
}

/** Windows drops dots and spaces at the end of a name, macOS drops invisible characters, and both ignore case. */
function foldPart(part: string): string {
  const visible = part.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return visible
    .normalize('NFD')
    .toLowerCase()
    .toUpperCase()
    .normalize('NFD')
    .replace(/[. ]+$/, '')
}
