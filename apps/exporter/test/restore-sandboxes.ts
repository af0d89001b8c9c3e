import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Format } from '@collab-etl/backups'
import { createClient } from '@collab-etl/core'
import { newScratch, scratch } from '@collab-etl/harness/scratch'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest'
import { toCliError } from '../src/errors.ts'
import { parseAssumption } from '../src/restore/assume.ts'
import { parseEntries } from '../src/restore/entries.ts'
import { countLine, sealLine } from '../src/restore/journal-lines.ts'
import { openProject, type RestoreOptions, restoreProject } from '../src/restore/restore-backup.ts'
import { apiBackup } from './api-backup.ts'

export type Json = Record<string, unknown>

/** A service with one project that holds what is hard to carry: a tree, names alike, odd texts, unknown fields. To be closed. */
export async function fullSandbox(sizes: { pages: number; posts: number; tasks: number }): Promise<Sandbox> {
  const sandbox = await startSandbox({ projects: 1, archived: 3, events: 2, ...sizes })
  const [pid = ''] = sandbox.pids
  sandbox.store.change(pid, ({ pages, tasks, posts }) => {
    const [first, second, third] = pages
    Object.assign(first ?? {}, {
      name: '=1+1',
      content: '\r\n\tkept "as", it is\r\n---\n😀',
      summary: 'kept "as", it is --- 😀',
    })
    Object.assign(second ?? {}, { name: 'twin', content: '', summary: '', parent_id: '' })
    Object.assign(third ?? {}, { name: 'twin', content: '', summary: '', parent_id: '', is_new: [1] })
    Object.assign(tasks[0] ?? {}, { desc: "'=quoted" })
    Object.assign(posts[0]?.post ?? {}, { content: '\ufeffbegins with a mark', summary: 'begins with a mark' })
  })
  return sandbox
}

/** An empty project to restore into. */
export interface RestoreTarget {
  readonly sandbox: Sandbox
  readonly pid: string
  /** One of its task groups. */
  readonly entry: string
}

/** A service whose only project is empty, but for its task groups. */
export async function emptySandbox(): Promise<RestoreTarget> {
  const sandbox = await startSandbox({
    projects: 1,
    tasks: 0,
    archived: 0,
    pages: 0,
    posts: 0,
    events: 0,
    seed: 77,
  })
  onTestFinished(() => sandbox.close())
  const [pid = ''] = sandbox.pids
  const [entry] = sandbox.store.truth(pid).entries
  return { sandbox, pid, entry: entry?.entry_id ?? '' }
}

/** A bag of a service, with every post of it. */
export async function bagOf(
  sandbox: Sandbox,
  formats: readonly Format[] = ['jsonl'],
  folder?: string,
): Promise<string> {
  const posts = Object.fromEntries(
    sandbox.pids.map((pid) => [
      pid,
      sandbox.store.truth(pid).posts.map(({ post }) => ({ id: post.post_id, source: 'flag' })),
    ]),
  )
  return (await apiBackup(sandbox, { formats: new Set(formats), posts }, folder)).bag
}

/** What the tests of a restore share, and what each has for itself. */
export interface RestoreWorld {
  /** The service that was backed up, and its project. */
  from: Sandbox
  pid: string
  /** The backup, for reading alone. */
  original: string
  /** An empty target, and a copy of the backup in a directory of its own, of each test. */
  target: RestoreTarget
  bag: string
}

/** Backs up a service once for all tests of a file. */
export function useRestoreWorld(
  sizes: Parameters<typeof fullSandbox>[0],
  change: (from: Sandbox, pid: string) => void = () => {},
): RestoreWorld {
  const world = {} as RestoreWorld // complete in tests
  let kept: Awaited<ReturnType<typeof newScratch>> | undefined
  beforeAll(async () => {
    kept = await newScratch()
    world.from = await fullSandbox(sizes)
    world.pid = world.from.pids[0] ?? ''
    change(world.from, world.pid)
    world.original = await bagOf(world.from, ['jsonl'], kept.path)
  })
  afterAll(async () => {
    await world.from.close()
    await kept?.remove()
  })
  beforeEach(async () => {
    world.target = await emptySandbox()
    world.bag = await ownBackup(world.original)
  })
  return world
}

/** Adds a bag to a directory of backups, as its latest. Returns the path of the backup. */
export async function addBackup(directory: string, name: string, bag: string): Promise<string> {
  await mkdir(directory, { recursive: true })
  await cp(bag, join(directory, name), { recursive: true })
  await rm(join(directory, 'latest'), { force: true })
  await symlink(name, join(directory, 'latest'))
  return join(directory, name)
}

/** A copy of a bag in a directory of its own. */
export async function ownBackup(bag: string): Promise<string> {
  const own = join(await scratch(), '20260101T000000Z')
  await cp(bag, own, { recursive: true })
  return own
}

export interface Given extends Omit<Partial<RestoreOptions>, 'entries' | 'assumptions'> {
  readonly token?: string
  readonly assume?: readonly string[]
  readonly entries?: readonly string[] | undefined
  /** The project of the backup. */
  readonly project?: string
  readonly withArchived?: boolean
  /** Whether operations beyond the documented ones are used. */
  readonly isExtended?: boolean
}

/** Restores as the command does, in this process: with provenance, without waiting for lost requests. */
export async function restoreInto({ sandbox, pid, entry }: RestoreTarget, backup: string, given: Given = {}) {
  const { baseUrl = sandbox.baseUrl, token = sandbox.token, assume = [], entries, ...options } = given
  const offered = given.isExtended ? {} : null
  const client = createClient({ baseUrl, token, retries: 1, backoff: { baseMs: 1 }, offered })
  try {
    const opened = await openProject(backup, {
      pid: given.project,
      withArchived: given.withArchived ?? false,
      links: [],
    })
    const {
      outcome,
      journal,
      entries: mapping,
    } = await restoreProject(opened, {
      client,
      baseUrl,
      toProject: pid,
      entry,
      provenance: true,
      settleMs: 0,
      journal: undefined,
      again: false,
      signal: new AbortController().signal,
      onItem: () => {},
      onReadBack: () => {},
      onPrepared: () => {},
      allowSource: false,
      assumptions: assume.map(parseAssumption),
      entries: entries && parseEntries(entries),
      ...options,
    })
    return { ...outcome, journal, mapping, plan: opened.plan, form: opened.records.form }
  } catch (error) {
    throw toCliError(error) ?? error
  } finally {
    await client.close()
  }
}

/** The folder of the only project of a bag, beside the files of the whole workspace. */
export async function projectFolder(bag: string): Promise<string> {
  return (await readdir(join(bag, 'data/jsonl'))).find((name) => !name.endsWith('.jsonl')) ?? ''
}

/** The records of the only project of a bag. */
async function recordsOf(bag: string, name: string): Promise<Json[]> {
  const text = await readFile(join(bag, 'data/jsonl', await projectFolder(bag), `${name}.jsonl`), 'utf8')
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
}

/** Replaces the lines of a journal, from its head on, and gives them new checksums. */
export async function rewriteJournal(journal: string, change: (lines: Json[]) => readonly Json[]): Promise<void> {
  const [, ...texts] = (await readFile(journal, 'utf8')).trimEnd().split('\n')
  const lines = change(texts.map((text) => JSON.parse(text)).map(({ sum: _sum, ...line }: Json): Json => line))
  let [all, sum] = [countLine(lines.length), '']
  for (const line of lines) {
    const sealed = sealLine(line, sum)
    all += sealed.text
    sum = sealed.sum
  }
  await writeFile(journal, all)
}

/** The new ids of a journal by kind and old id. */
export async function newIds(journal: string): Promise<ReadonlyMap<string, string>> {
  const lines = (await readFile(journal, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line): Json => JSON.parse(line))
  return new Map(
    lines.filter(({ state }) => state === 'done').map(({ call, id, new: newId }) => [`${call} ${id}`, String(newId)]),
  )
}

/** What the interface can carry of a project, with the ids of `ids` in place of its own; in an order of its own. */
export async function carriedOf(bag: string, ids: ReadonlyMap<string, string> | null = null): Promise<unknown> {
  const idOf = (kind: string, id: unknown) => (ids === null ? id : (ids.get(`${kind} ${id}`) ?? `no new ${kind} ${id}`))
  const pages = (await recordsOf(bag, 'pages')).map(({ page_id, parent_id, name, content, summary }) => {
    const above = parent_id === '' ? '' : idOf('page', parent_id)
    return { id: idOf('page', page_id), above, name, content, summary }
  })
  const posts = (await recordsOf(bag, 'posts')).map(({ post }) => {
    const { post_id, name, content, summary } = post as Json
    return { id: idOf('post', post_id), name, content, summary }
  })
  const tasks = (await recordsOf(bag, 'tasks')).map(({ tid, name, desc }) => ({ id: idOf('task', tid), name, desc }))
  const byId = (a: Json, b: Json) => (String(a['id']) < String(b['id']) ? -1 : 1)
  return { pages: pages.sort(byId), posts: posts.sort(byId), tasks: tasks.sort(byId) }
}
