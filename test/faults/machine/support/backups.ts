import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { TEMPORARY_DIRECTORY } from '@collab-etl/harness/temporary-directory'
import { withoutReading } from '@collab-etl/harness/without-reading'
import type { ProjectTruth } from '@collab-etl/sandbox'
import { expect } from 'vitest'

const NAME = /^\d{8}T\d{6}Z$/

/** Names of the backups in a directory, oldest first. */
async function backupsIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((entry) => NAME.test(entry)).sort()
}

/** Temporary directories of killed runs. */
export async function temporaryDirectoriesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((entry) => TEMPORARY_DIRECTORY.test(entry))
}

/**
 * Expects that all backups are complete, `latest` points to one of them, and there is nothing else except temporary
 * directories and records. Returns their names.
 */
export async function expectAllWhole(directory: string): Promise<string[]> {
  const names = await backupsIn(directory)
  for (const name of names) await expectWholeBag(join(directory, name))
  if (names.length > 0) expect(names).toContain(await readlink(join(directory, 'latest')))
  const known = [
    ...names,
    ...(await temporaryDirectoriesIn(directory)),
    ...(names.length > 0 ? ['latest'] : []),
    '.collab-export',
  ]
  expect((await readdir(directory)).filter((entry) => !known.includes(entry))).toEqual([])
  return names
}

/** Checks a backup with coreutils: every listed file exists with its bytes, and no other file does. */
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

/** Expects a backup with exactly the pages and posts of these projects. */
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
  for (const project of await readdir(folder, { withFileTypes: true })) {
    if (!project.isDirectory()) continue // the users of all
    const lines = (await readFile(join(folder, project.name, `${name}.jsonl`), 'utf8')).split('\n').slice(0, -1)
    records.push(...lines.map((line): unknown => JSON.parse(line)))
  }
  return sorted(records)
}

/** Ignores the order of lists, which is not significant. */
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

/** The digests of all payload files but those that say when the data was read; backups with equal digests hold the same. */
export async function payloadOf(bag: string): Promise<string> {
  const name = 'manifest-sha256.txt'
  const listed = withoutReading(new Map([[name, await readFile(join(bag, name), 'utf8')]])).get(name) ?? ''
  return listed.trimEnd().split('\n').sort().join('\n')
}
