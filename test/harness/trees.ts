import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Every file under a folder, by its path in it. */
export async function filesOf(folder: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const path of entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()) {
    files.set(relative(folder, path), await readFile(path, 'utf8'))
  }
  return files
}
