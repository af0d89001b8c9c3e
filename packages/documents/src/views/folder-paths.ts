/** What the path of a file depends on. */
interface Placed {
  readonly id: string
  readonly name: string | null
  /** `null` at the top. */
  readonly folderId: string | null
  readonly isFolder: boolean
}

/** Folders inside one another that a path names; a longer one begins with the innermost ones. */
const MAX_DEPTH = 32

/**
 * The names of the folders above files, from the outermost one to a folder itself. A folder that is not in the project has its id as its name;
 * folders that hold each other, which only a damaged record can say, are named once. Files at the top have the empty path.
 */
export function folderPaths(files: readonly Placed[]): (folderId: string | null) => readonly (string | null)[] {
  const folders = new Map(files.filter(({ isFolder }) => isFolder).map((folder) => [folder.id, folder]))
  return (folderId) => {
    const names: (string | null)[] = []
    const seen = new Set<string>()
    for (let id = folderId; id !== null && !seen.has(id) && names.length < MAX_DEPTH; ) {
      seen.add(id)
      const folder = folders.get(id)
      names.push(folder === undefined ? id : folder.name)
      id = folder?.folderId ?? null
    }
    return names.reverse()
  }
}
