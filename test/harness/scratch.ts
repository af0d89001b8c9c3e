import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** A new empty directory, and what removes it. */
export async function newScratch(): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'collab-exporter-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** A new empty directory that goes when the test does. */
export async function scratch(): Promise<string> {
  const { path, remove } = await newScratch()
  onTestFinished(remove)
  return path
}

/** What the tests of a file read together, in a directory of its own: made when the first of them asks for it. */
export function madeOnce<T>(make: (folder: string) => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  let remove = async () => {}
  afterAll(() => remove())
  const start = async () => {
    const folder = await newScratch()
    remove = folder.remove
    return await make(folder.path)
  }
  return () => (made ??= start())
}
