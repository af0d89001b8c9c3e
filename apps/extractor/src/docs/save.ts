import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '@collab-etl/cli'

/** Writes files into a directory, which is made if its parent is there; gives their paths. */
export async function saveFiles(directory: string, files: Readonly<Record<string, string>>): Promise<string[]> {
  try {
    await makeDirectory(directory)
    const paths: string[] = []
    for (const [name, text] of Object.entries(files)) {
      const path = join(directory, name)
      await writeFile(path, text)
      paths.push(path)
    }
    return paths
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`--out ${directory} cannot be written to: ${reason}`, { cause: error })
  }
}

async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory)
  } catch (error) {
    if (!(await stat(directory).catch(() => null))?.isDirectory()) throw error
  }
}
