import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { keepOwner } from './keep-owner.ts'

/**
 * Creates a directory and its missing parents, which keep the owner of the directory that they are in. `mkdirSync` with `recursive` never
 * returns if the parent exists but accepts no new entry (`/proc`, some FUSE mounts); this function throws.
 * @returns whether the directory is new
 * @throws file system errors; EEXIST for anything that is not a directory
 */
export function makeDirectory(path: string, mode = 0o777): boolean {
  const parent = dirname(path)
  try {
    mkdirSync(path, { mode })
    keepOwner(path)
    return true
  } catch (error) {
    if (isDirectory(path)) return false
    if (!hasCode(error, 'ENOENT') || parent === path || isDirectory(parent)) throw error
  }
  makeDirectory(parent, mode)
  return makeDirectory(path, mode)
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
