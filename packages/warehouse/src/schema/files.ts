import { readFile } from 'node:fs/promises'

/** Files of views and functions, each after those that it reads. */
const FILES = ['search', 'calendar', 'tasks', 'days', 'models']

/** The views and functions that are written in SQL, for the schema `collab`, which must be first in the search path. */
export async function readFiles(): Promise<string[]> {
  return await Promise.all(FILES.map((name) => readFile(new URL(`../../sql/${name}.sql`, import.meta.url), 'utf8')))
}
