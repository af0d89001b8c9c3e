import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { UsageError } from '@collab-etl/cli'
import { makeDirectory } from '@collab-etl/lock'

/**
 * Writes files into a directory, which is made if its parent is there; gives their paths.
 * @param files texts by name; a name may hold directories, which are made
 * @param options.parents whether the parents of the directory are made, too
 * @throws UsageError if it cannot be written to
 */
export async function saveFiles(
  directory: string,
  files: Readonly<Record<string, string>>,
  { parents = false }: { readonly parents?: boolean } = {},
): Promise<string[]> {
  try {
    await makePlace(directory, parents)
    const paths: string[] = []
    for (const [name, text] of Object.entries(files)) {
      const path = join(directory, name)
      makeDirectory(dirname(path))
      await writeFile(path, text)
      paths.push(path)
    }
    return paths
  } catch (error) {
    const isFile = (await stat(directory).catch(() => null))?.isDirectory() === false
    const reason = isFile ? 'it is a file, not a directory' : error instanceof Error ? error.message : String(error)
    throw new UsageError(`--out ${directory} cannot be written to: ${reason}`, { cause: error })
  }
}

async function makePlace(directory: string, parents: boolean): Promise<void> {
  if (parents) {
    makeDirectory(directory)
    return
  }
  try {
    await mkdir(directory)
  } catch (error) {
    if (!(await stat(directory).catch(() => null))?.isDirectory()) throw error
  }
}
