import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { TEMPORARY_DIRECTORY } from '@collab-etl/harness/temporary-directory'
import type { ProjectTruth } from '@collab-etl/sandbox'
import { expect } from 'vitest'

const NAME = /^\d{8}T\d{6}Z$/

/** The names of the backups of a directory, the oldest first. */
async function backupsIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((entry) => NAME.test(entry)).sort()
}

/** What killed runs have left behind: never anything that bears a backup's name. */
export async function leftoversIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((entry) => TEMPORARY_DIRECTORY.test(entry))
}

/**
 * All that bears a backup's name is whole, `latest` points to one of them, and nothing else is there but what killed runs
 * left, and records. Gives their names.
 */
export async function expectAllWhole(directory: string): Promise<string[]> {
  const names = await backupsIn(directory)
  for (const name of names) await expectWholeBag(join(directory, name))
  if (names.length > 0) expect(names).toContain(await readlink(join(directory, 'latest')))
  const known = [...names, ...(await leftoversIn(directory)), ...(names.length > 0 ? ['latest'] : []), '.collab-export']
  expect((await readdir(directory)).filter((entry) => !known.includes(entry))).toEqual([])
  return names
}

/** Looked at with coreutils alone: every file that is named is there with its bytes, and no other file is. */
async function expectWholeBag(bag: string): Promise<void> {
  const named: string[] = ['tagmanifest-sha256.txt']
  for (const manifest of ['manifest-sha256.txt', 'tagmanifest-sha256.txt']) {
    await promisify(execFile)('sha256sum', ['--quiet', '--strict', '-c', manifest], { cwd: bag })
    const lines = (await readFile(join(bag, manifest), 'utf8')).trimEnd().split('\n')
    named.push(...lines.map((line) => line.slice(66)))
  }
  expect(await filesBelow(bag)).toEqual(named.sort())
}

async function filesBelow(folder: string): Promise<string[]> {
  const paths: string[] = []
  for (const path of await readdir(folder, { recursive: true })) {
    if ((await stat(join(folder, path))).isFile()) paths.push(path)
  }
  return paths.sort()
}

/** A whole backup holds the pages and posts of these projects, record for record and character for character. */
export async function expectBackupOf(bag: string, truths: readonly ProjectTruth[]): Promise<void> {
  await expectWholeBag(bag)
  const pages = truths.flatMap((truth) => truth.pages)
  const posts = truths.flatMap((truth) => truth.posts.map(({ post, comments }) => ({ post, comments })))
  expect(await recordsOf(bag, 'pages')).toEqual(sorted(pages))
  expect(await recordsOf(bag, 'posts')).toEqual(sorted(posts))
}

async function recordsOf(bag: string, name: string): Promise<unknown> {
  const folder = join(bag, 'data/jsonl')
  const records: unknown[] = []
  for (const project of await readdir(folder)) {
    const lines = (await readFile(join(folder, project, `${name}.jsonl`), 'utf8')).split('\n').slice(0, -1)
    records.push(...lines.map((line): unknown => JSON.parse(line)))
  }
  return sorted(records)
}

/** Whatever the order of lists: the service's own means nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, held]) => [name, sorted(held)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** The digests of all that was backed up: two backups with the same hold the same bytes under the same names. */
export async function payloadOf(bag: string): Promise<string> {
  const lines = (await readFile(join(bag, 'manifest-sha256.txt'), 'utf8')).trimEnd().split('\n')
  return lines.sort().join('\n')
}
