import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { onTestFinished } from 'vitest'
import type { Format } from '../src/backup/options.ts'
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

/** A service whose only project is empty, but for its task groups. */
export async function emptySandbox(): Promise<{ sandbox: Sandbox; pid: string; entry: string }> {
  const sandbox = await startSandbox({
    ...{ projects: 1, tasks: 0, archived: 0, pages: 0, posts: 0, events: 0, seed: 77 },
  })
  onTestFinished(() => sandbox.close())
  const [pid = ''] = sandbox.pids
  const [entry] = sandbox.store.truth(pid).entries
  return { sandbox, pid, entry: entry?.entry_id ?? '' }
}

/** A bag of a service, with every post of it. */
export async function bagOf(sandbox: Sandbox, formats: readonly Format[] = ['jsonl']): Promise<string> {
  const posts = Object.fromEntries(
    sandbox.pids.map((pid) => [
      pid,
      sandbox.store.truth(pid).posts.map(({ post }) => ({ id: post.post_id, source: 'flag' })),
    ]),
  )
  return (await apiBackup(sandbox, { formats: new Set(formats), posts })).bag
}

/** The records of the only project of a bag. */
async function recordsOf(bag: string, name: string): Promise<Json[]> {
  const [folder = ''] = await readdir(join(bag, 'data/jsonl'))
  const text = await readFile(join(bag, 'data/jsonl', folder, `${name}.jsonl`), 'utf8')
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
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
