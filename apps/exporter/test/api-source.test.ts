import { basename, join } from 'node:path'
import { verifyBag } from '@collab-etl/bagit'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiBackup } from './api-backup.ts'

let sandbox: Sandbox

beforeEach(async () => {
  sandbox = await startSandbox({ projects: 4, tasks: 60, archived: 40, pages: 40, posts: 20, events: 20 })
})

afterEach(async () => {
  await sandbox.close()
})

/** The files of a backup, without those of the bag itself. */
async function payloadOf(bag: string): Promise<Record<string, string>> {
  return Object.fromEntries(await filesOf(join(bag, 'data')))
}

const statusOf = (contents: Awaited<ReturnType<typeof apiBackup>>['contents'], pid: string, stream: string) =>
  contents.scopes.find((scope) => scope.pid === pid && scope.stream === stream)?.status

describe('a backup straight from the service', () => {
  test('has every page, and every post that anything leads to, with its comments', async () => {
    const { bag, contents } = await apiBackup(sandbox)
    const truths = sandbox.pids.map((pid) => sandbox.store.truth(pid))
    const pages = truths.flatMap((truth) => truth.pages)
    const posts = truths.flatMap(({ posts, unlinked_posts }) =>
      posts.filter(({ post }) => !unlinked_posts.includes(post.post_id)),
    )
    expect(contents.counts).toEqual({
      projects: 4,
      pages: pages.length,
      posts: posts.length,
      post_comments: posts.reduce((total, { comments }) => total + comments.length, 0),
      tasks: truths.reduce((total, { tasks, archived_tasks }) => total + tasks.length + archived_tasks.length, 0),
      events: truths.reduce((total, { events }) => total + events.length, 0),
      files: expect.any(Number),
      users: expect.any(Number),
    })
    const payload = await payloadOf(bag)
    const csv = parse(payload['csv/pages.csv'] ?? '', { columns: true, record_delimiter: '\r\n' }) as {
      page_id: string
    }[]
    expect(csv.map(({ page_id }) => page_id).sort()).toEqual(pages.map(({ page_id }) => page_id).sort())
    const names = Object.keys(payload).map((path) => basename(path))
    for (const { page_id } of pages) expect(names.filter((name) => name.endsWith(`--${page_id}.md`))).toHaveLength(1)
    for (const { post } of posts) expect(names.filter((name) => name.endsWith(`--${post.post_id}.md`))).toHaveLength(1)
    expect((await verifyBag(bag, { fast: false })).damage).toEqual([])
  })

  testThoroughly('keeps the pages of a project that could not be read itself', async () => {
    const [pid = ''] = sandbox.pids
    sandbox.faults.add({ kind: 'error', operation: 'projects.get', where: { pid }, times: 'always' })
    const { bag, contents } = await apiBackup(sandbox)
    expect(statusOf(contents, pid, 'projects')).toBe('failed')
    const pages = sandbox.store.truth(pid).pages.length
    const paths = Object.keys(await payloadOf(bag)).filter((path) =>
      path.startsWith(`markdown/untitled--${pid}/pages/`),
    )
    expect(pages).toBeGreaterThan(0)
    expect(paths).toHaveLength(pages)
  })

  testThoroughly('reads posts that only another project leads to, and those that these lead to', async () => {
    const [home = '', other = ''] = sandbox.pids
    const [hidden, further] = ['hidden1', 'hidden2'] as const
    sandbox.store.change(other, ({ posts }) => {
      const [model] = posts
      if (!model) throw new Error('the sandbox has no post to copy')
      const copy = (post_id: string, content: string) => ({
        ...structuredClone(model),
        post: { ...model.post, post_id, content },
      })
      posts.push(copy(hidden, `see /posts/${further}`), copy(further, 'end'))
    })
    sandbox.store.change(home, (project) => {
      const page = project.pages[0]
      if (page) page.content = `[there](https://x.example/projects/${other}/posts/${hidden})`
    })
    const { bag } = await apiBackup(sandbox)
    const payload = await payloadOf(bag)
    const paths = Object.keys(payload)
    expect(paths.filter((path) => path.includes(`--${other}/posts/`) && /--hidden[12]\.md$/.test(path))).toHaveLength(2)
    const page =
      Object.entries(payload).find(([path, text]) => path.endsWith('.md') && text.includes('[there]('))?.[1] ?? ''
    expect(page).toMatch(/\[there\]\((\.\.\/)+[^)]*--hidden1\.md\)/)
  })

  test('reads posts that are named, and nothing but the projects asked for', async () => {
    const [pid = ''] = sandbox.pids
    const [unlinked = ''] = sandbox.store.truth(pid).unlinked_posts
    const { bag, contents } = await apiBackup(sandbox, {
      pids: [pid],
      posts: { [pid]: [{ id: unlinked, source: 'flag' }] },
    })
    expect(contents.counts.projects).toBe(1)
    expect(Object.keys(await payloadOf(bag)).some((path) => path.endsWith(`--${unlinked}.md`))).toBe(true)
  })

  test('names the accounts and who read each project; a refused one makes the list partial', async () => {
    const ben = sandbox.accounts.add()
    const accounts = [
      { name: 'anna', token: sandbox.token },
      { name: 'ben', token: ben.token },
    ]
    const read = async () => {
      const { bag, contents } = await apiBackup(sandbox, { accounts, content: new Set(['pages']) })
      return { contents, manifest: JSON.parse((await payloadOf(bag))['backup.json'] ?? '') }
    }
    const { manifest, contents } = await read()
    expect(contents.scopes.filter(({ status }) => status === 'failed' || status === 'partial')).toEqual([])
    expect(manifest.accounts).toMatchObject([{ account: 'anna' }, { account: 'ben' }])
    expect(manifest.projects.map(({ account }: { account: string }) => account)).toContain('anna')
    sandbox.accounts.revoke(sandbox.token)
    const { contents: lacking } = await read()
    expect(lacking.scopes).toContainEqual(
      expect.objectContaining({
        pid: null,
        status: 'partial',
        error: expect.objectContaining({ code: 'ACCOUNT_FAILED' }),
      }),
    )
  })

  testThoroughly('names a project that was asked for and is not visible', async () => {
    const [pid = ''] = sandbox.pids
    const { contents } = await apiBackup(sandbox, { pids: [pid, 'nowhere'] })
    expect(contents.scopes.find((scope) => scope.pid === 'nowhere')).toMatchObject({
      stream: 'projects',
      status: 'failed',
      error: { code: 'NOT_VISIBLE' },
    })
    await expect(apiBackup(sandbox, { pids: ['nowhere'] })).rejects.toMatchObject({ exitCode: 2 })
  })
})
