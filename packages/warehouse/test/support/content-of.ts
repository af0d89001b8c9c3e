import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

/** A hash of the names and the content of every file in a directory. */
export async function contentOf(directory: string): Promise<string> {
  const hash = createHash('sha256')
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => `${parentPath}/${name}`)
  for (const path of files.sort()) hash.update(`${path} `).update(await readFile(path))
  return hash.digest('hex')
}
