import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { runScript } from '@collab-etl/harness/scripts'
import { filesOf } from '@collab-etl/harness/trees'
import { takeLock } from '@collab-etl/lock'
import type { Sandbox } from '@collab-etl/sandbox'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { describe, expect, test } from 'vitest'
import { lockJournal } from '../src/restore/lock.ts'
import { openProject } from '../src/restore/restore-backup.ts'
import {
  bagOf,
  carriedOf,
  type Given,
  type Json,
  newIds,
  ownBackup,
  projectFolder,
  restoreInto,
  useRestoreWorld,
} from './restore-sandboxes.ts'

const SIZES = { pages: 14, posts: 5, tasks: 6 }
const NAME = '20260101T000000Z'

const world = useRestoreWorld(SIZES)

const envOf = (sandbox: Sandbox) => ({ COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token })

const ownBag = (bag = world.original) => ownBackup(bag)
const restore = (bag: string, given: Given = {}) => restoreInto(world.target, bag, given)

async function expectRoundTrip(bag: string, journal: string): Promise<void> {
  expect(await carriedOf(await bagOf(world.target.sandbox))).toEqual(await carriedOf(bag, await newIds(journal)))
}

async function command(args: readonly string[], env: Record<string, string> = {}) {
  return run('collab-export', ['restore', ...args], { cwd: await scratch(), env })
}

const posts = () => world.target.sandbox.requests.filter(({ method }) => method === 'POST')

describe('a restore', () => {
  test('opens an encrypted archive, and keeps its journal beside it', async () => {
    const [bag, directory] = [await ownBag(), await scratch()]
    const key = await generateIdentity()
    await writeFile(join(directory, 'key.txt'), key)
    const file = join(directory, `${basename(bag)}.tar.gz.age`)
    const encrypt = ['--encrypt', await identityToRecipient(key)]
    const made = await run('collab-export', ['archive', bag, '--as', 'tar.gz', '--out', file, ...encrypt], {
      cwd: directory,
    })
    expect(made).toMatchObject({ code: 0 })
    const { pid, sandbox } = world.target
    const args = [file, '--identity', join(directory, 'key.txt'), '--to-project', pid]
    expect(await command(args, envOf(sandbox))).toMatchObject({ code: expect.toBeOneOf([0, 3]) })
    expect(posts()).not.toEqual([])
    expect(
      (await readdir(directory)).filter((name) => name.startsWith('restore-') && name.endsWith('.jsonl')),
    ).toHaveLength(1)
    const asked = posts().length
    expect(await command(args, envOf(sandbox))).toMatchObject({ code: expect.toBeOneOf([0, 3]) })
    expect(posts()).toHaveLength(asked)
    expect(await command(args.toSpliced(1, 2), envOf(sandbox))).toMatchObject({ code: 2 })
  })

  test('creates everything but ids, owners and dates; again, it creates nothing', async () => {
    const bag = await ownBag()
    const before = await filesOf(bag)
    const first = await restore(bag)
    expect(first).toMatchObject({
      form: 'jsonl',
      notRestored: [],
      unknown: [],
      created: { page: 14, post: 5, task: 6, comment: 6 },
      plan: { unrestorable: { owners: 19, dates: 25, archived_tasks: 3, events: 2 } },
    })
    expect(await filesOf(bag)).toEqual(before)
    expect(dirname(first.journal)).toBe(dirname(bag))
    await expectRoundTrip(bag, first.journal)
    const ids = await newIds(first.journal)
    const [task] = world.from.store.truth(world.from.pids[0] ?? '').tasks
    const comments = world.target.sandbox.store.project(world.target.pid).task_comments[
      ids.get(`task ${task?.tid}`) ?? ''
    ]
    expect(comments).toHaveLength(1)
    for (const { name } of [...(task?.labels ?? []), ...(task?.todos ?? []), ...(task?.members ?? [])]) {
      expect(comments?.[0]?.message).toContain(name)
    }
    world.target.sandbox.clearRequests()
    const again = await restore(bag)
    expect(again).toMatchObject({
      created: { page: 0, comment: 0 },
      before: { page: 14, post: 5, task: 6, comment: 6 },
    })
    expect(posts()).toEqual([])
  })

  test('from CSV creates the same texts, also of defused cells, but no tasks', async () => {
    const bag = await ownBag(await bagOf(world.from, ['csv', 'markdown']))
    const { form, created, journal } = await restore(bag)
    expect({ form, created }).toMatchObject({ form: 'csv', created: { page: 14, post: 5, task: 0 } })
    const restored = (await carriedOf(await bagOf(world.target.sandbox))) as Json
    const sent = (await carriedOf(world.original, await newIds(journal))) as Json
    expect({ ...restored, tasks: [] }).toEqual({ ...sent, tasks: [] })
  })

  test('a rejected page skips its children until the next run', async () => {
    const bag = await ownBag()
    const parents = new Set(world.from.store.truth(world.from.pids[0] ?? '').pages.map(({ parent_id }) => parent_id))
    const opened = await openProject(bag, { pid: undefined, withArchived: false, links: [] })
    const place = opened.plan.items.findIndex(({ id, kind }) => kind === 'page' && parents.has(id))
    world.target.sandbox.faults.add({ kind: 'error', operation: 'pages.create', skip: place, times: 1 })
    const first = await restore(bag)
    const reasons = first.notRestored.map(({ reason }) => reason)
    expect(reasons.filter((reason) => reason === 'refused')).toHaveLength(1)
    expect(reasons).toContain('parent_not_restored')
    const second = await restore(bag)
    expect(second).toMatchObject({ notRestored: [], before: { post: 5 } })
    await expectRoundTrip(bag, second.journal)
  })

  test('after lost answers finds pages, tasks and comments, and reports posts as unknown', async () => {
    const bag = await ownBag()
    for (const operation of ['pages.create', 'tasks.create', 'tasks.comments.create'] as const) {
      world.target.sandbox.faults.add({ kind: 'reset', operation, times: 1 })
      world.target.sandbox.faults.add({ kind: 'truncate', operation, times: 1 })
    }
    world.target.sandbox.faults.add({ kind: 'reset', operation: 'posts.create', processed: true })
    const first = await restore(bag)
    expect(first).toMatchObject({ created: { page: 14, post: 4, task: 6, comment: 6 }, notRestored: [] })
    expect(posts()).toHaveLength(14 + 5 + 6 + 6 + 3)
    expect(first.unknown).toMatchObject([{ kind: 'post', why: expect.stringContaining('lists no posts') }])
    world.target.sandbox.clearRequests()
    const [lost] = first.unknown
    await expect(restore(bag, { assume: ['post:unknown=not-created'] })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(`post:${lost?.id}`),
    })
    expect(await restore(bag)).toMatchObject({ created: { post: 0 }, unknown: [{ id: lost?.id }] })
    expect(posts()).toEqual([])
    const known = new Set((await newIds(first.journal)).values())
    const held = world.target.sandbox.store.truth(world.target.pid).posts.map(({ post }) => post.post_id)
    const assume = [`post:${lost?.id}=created:${held.find((id) => !known.has(id))}`]
    expect(await restore(bag, { assume })).toMatchObject({ unknown: [], notRestored: [] })
    await expectRoundTrip(bag, first.journal)
  })

  test('looks for records that were created although the service says that this failed', async () => {
    const bag = await ownBag()
    for (const operation of ['pages.create', 'tasks.create', 'tasks.comments.create'] as const) {
      world.target.sandbox.faults.add({ kind: 'error', operation, processed: true, skip: 1 })
    }
    world.target.sandbox.faults.add({ kind: 'http', operation: 'pages.create', status: 206, processed: true, skip: 2 })
    const { created, notRestored, unknown, journal } = await restore(bag)
    expect({ created, notRestored, unknown }).toEqual({
      created: { page: 14, post: 5, task: 6, comment: 6 },
      notRestored: [],
      unknown: [],
    })
    await expectRoundTrip(bag, journal)
  })

  test('does not mistake comments of people for its own', async () => {
    const bag = await ownBag()
    await restore(bag, { provenance: false })
    world.target.sandbox.store.change(world.target.pid, ({ tasks }) => {
      for (const { badges } of tasks) badges.comment_count += 1
    })
    world.target.sandbox.faults.add({ kind: 'reset', operation: 'tasks.comments.create' })
    const { created, unknown } = await restore(bag)
    expect({ created, unknown }).toMatchObject({ created: { comment: 5 }, unknown: [{ kind: 'comment' }] })
  })

  test('waits --settle seconds for a lost page, however long ago it was sent', async () => {
    const bag = await ownBag()
    const { sandbox, pid } = world.target
    const sent: Json[] = []
    sandbox.beforeRequest(({ operation, params }) => {
      if (operation === 'pages.create') sent.push(params)
    })
    sandbox.faults.add({ kind: 'reset', operation: 'pages.create' })
    sandbox.faults.add({ kind: 'error', operation: 'pages.list', skip: 1, times: 2 })
    await expect(restore(bag)).rejects.toThrow(/120001/)
    const settleMs = 400
    await sleep(settleMs)
    const stop = sandbox.beforeRequest(({ operation }) => {
      if (operation !== 'pages.list') return
      stop()
      setTimeout(() => {
        const [model] = world.from.store.truth(world.from.pids[0] ?? '').pages
        const late = { ...structuredClone(model), parent_id: '', content: '', summary: '', ...sent[0], page_id: 'late' }
        sandbox.store.change(pid, ({ pages }) => pages.push(late as (typeof pages)[number]))
      }, settleMs / 2)
    })
    await restore(bag, { settleMs })
    expect(sent).toHaveLength(14)
  })

  test('does not mistake records of others for its own', async () => {
    const bag = await ownBag()
    const [first] = world.from.store.truth(world.from.pids[0] ?? '').pages.filter(({ parent_id }) => parent_id === '')
    world.target.sandbox.store.change(world.target.pid, ({ pages }, owner) => {
      pages.push({
        ...structuredClone(first),
        pid: world.target.pid,
        page_id: 'own',
        owner,
        watchers: [],
      } as (typeof pages)[number])
    })
    world.target.sandbox.faults.add({ kind: 'http', status: 502, operation: 'pages.create', times: 14 })
    const { created, unknown, journal } = await restore(bag, { again: true })
    expect({ created, unknown }).toMatchObject({ created: { post: 5 }, unknown: [] })
    await restore(bag)
    expect([...(await newIds(journal)).values()]).not.toContain('own')
    expect(world.target.sandbox.store.truth(world.target.pid).pages).toHaveLength(15)
  })

  test('names two pages that may be the lost one and creates none', async () => {
    const bag = await ownBag()
    world.target.sandbox.faults.add({ kind: 'http', status: 502, operation: 'pages.create', times: 1 })
    const stop = world.target.sandbox.beforeRequest(({ operation }) => {
      const { sandbox, pid } = world.target
      if (operation !== 'pages.list' || !sandbox.requests.some(({ method }) => method === 'POST')) return
      stop()
      const first = world.from.store.truth(world.from.pids[0] ?? '').pages
      sandbox.store.change(pid, ({ pages }, owner) => {
        for (const [index, page] of first.entries()) {
          for (const twin of ['a', 'b']) pages.push({ ...page, pid, page_id: `${twin}${index}`, parent_id: '', owner })
        }
      })
    })
    const { unknown } = await restore(bag)
    expect(unknown[0]).toMatchObject({ kind: 'page', why: expect.stringMatching(/of unknown origin: a\d+, b\d+/) })
    const [{ id }] = unknown as [(typeof unknown)[number]]
    await expect(restore(bag, { assume: [`page:${id}=created`] })).rejects.toThrow(/give the id of the new page/)
    const decided = await restore(bag, { assume: [`page:${id}=created:a0`] })
    expect(decided.notRestored.filter(({ reason }) => reason === 'parent_not_restored')).toEqual([])
  })

  test('finds one of two lost twins once, and creates the other', async () => {
    const bag = await ownBag()
    const { sandbox, pid } = world.target
    sandbox.faults.add({ kind: 'http', status: 502, operation: 'pages.create', where: { name: 'twin' }, times: 2 })
    const model = world.from.store.truth(world.from.pids[0] ?? '').pages.find(({ name }) => name === 'twin')
    const stop = sandbox.beforeRequest(({ operation }) => {
      if (operation !== 'pages.list' || !sandbox.requests.some(({ method }) => method === 'POST')) return
      stop()
      sandbox.store.change(pid, ({ pages }) => {
        for (const page_id of ['a', 'b']) pages.push({ ...structuredClone(model), pid, page_id } as never)
      })
    })
    expect((await restore(bag)).unknown).toMatchObject([{ kind: 'page' }, { kind: 'page' }])
    sandbox.store.change(pid, (project) => {
      project.pages = project.pages.filter(({ page_id }) => page_id !== 'b')
    })
    expect((await restore(bag)).unknown).toEqual([])
    expect(sandbox.store.truth(pid).pages.filter(({ name }) => name === 'twin')).toHaveLength(2)
  })

  test('finds damage in any file before it creates anything', async () => {
    const bag = await ownBag()
    const folder = await projectFolder(bag)
    for (const file of [`data/jsonl/${folder}/posts.jsonl`, 'data/backup.json', 'manifest-sha256.txt']) {
      const text = await readFile(join(bag, file), 'utf8')
      await writeFile(join(bag, file), `${text.slice(0, -3)}x${text.slice(-2)}`)
      await expect(restore(bag)).rejects.toMatchObject({ exitCode: 5, message: expect.stringContaining(file) })
      await writeFile(join(bag, file), text)
    }
    await rm(join(bag, `data/jsonl/${folder}/pages.jsonl`))
    await expect(restore(bag)).rejects.toMatchObject({ exitCode: 5 })
    expect(posts()).toEqual([])
  })

  test('rejects an unknown project, Markdown only, a wrong token, leaving no files', async () => {
    const bag = await ownBag()
    await expect(restore(bag, { toProject: 'nowhere' })).rejects.toMatchObject({ exitCode: 2 })
    await expect(restore(bag, { project: 'other' })).rejects.toThrow(/has no project other; it has /)
    await expect(restore(bag, { token: 'wrong-token' })).rejects.toMatchObject({ exitCode: 4 })
    await expect(restore(bag, { baseUrl: 'http://127.0.0.1:9' })).rejects.toMatchObject({ exitCode: 1 })
    const markdown = restore(await ownBag(await bagOf(world.from, ['markdown'])))
    await expect(markdown).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('--format jsonl') })
    expect(await readdir(dirname(bag))).toEqual([NAME])
  })

  test('is refused while the journal is locked, under any of its names', async () => {
    const bag = await ownBag()
    const { journal } = await restore(bag)
    const lock = `${journal}.lock`
    {
      await using _held = await takeLock(lock)
      await expect(restore(bag)).rejects.toMatchObject({ exitCode: 11, message: expect.stringContaining('.lock') })
    }
    const link = join(dirname(bag), 'other.jsonl')
    await symlink(journal, link)
    for (const remove of [false, true]) {
      await using held = await lockJournal(journal)
      await held.hold()
      if (remove) await rm(lock)
      await expect(restore(bag, { journal: link })).rejects.toMatchObject({ exitCode: 11 })
    }
    await rm(link)
    expect((await readdir(dirname(bag))).sort()).toEqual([NAME, basename(journal)])
  })
})

describe('collab-export restore', () => {
  test('reports what was, was not and cannot be created, with exit code 3', async () => {
    const bag = await ownBag()
    const args = [bag, '--to-project', world.target.pid]
    const { code, stdout, stderr } = await command(args, envOf(world.target.sandbox))
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
    expect(stdout).toMatch(/^Restored, but incomplete\n {2}14 pages, 5 posts, 0 tasks, in /)
    expect(stdout).toMatch(/Not restored: 6 tasks, .*--entry/)
    expect(stdout).toMatch(/Cannot be created through the service:\n +19 {2}owners/)
    expect(stdout).not.toContain(world.target.sandbox.token)
    const whole = await command([...args, '--entry', world.target.entry, '--json'], envOf(world.target.sandbox))
    expect(whole.code).toBe(0)
    expect(JSON.parse(whole.stdout)).toMatchObject({
      status: 'complete',
      created: { task: 6 },
      created_before: { page: 14 },
      not_restored: [],
      unknown: [],
    })
  })

  test('--dry-run sends no request, writes nothing, and reports the plan', async () => {
    const bag = await ownBag()
    const { code, stdout } = await command([bag, '--to-project', 'P', '--dry-run', '--json'])
    expect(code).toBe(0)
    const document = JSON.parse(stdout)
    expect(document).toMatchObject({ dry_run: true, to_create: { page: 14, post: 5, task: 0 } })
    const seen = new Set<unknown>([null])
    for (const { id, parent_id } of document.plan) {
      expect(seen).toContain(parent_id)
      seen.add(id)
    }
    expect(document.plan.filter(({ what }: Json) => what === 'left out: no --entry')).toHaveLength(6)
    const shown = await command([bag, '--to-project', 'P', '--dry-run'])
    expect(shown.stdout).toMatch(/Would be created: 14 pages, 5 posts, 0 tasks/)
    expect(await readdir(dirname(bag))).toEqual([NAME])
  })

  test('--dry-run counts the comments of --provenance', async () => {
    const args = [
      await ownBag(),
      '--to-project',
      world.target.pid,
      '--entry',
      world.target.entry,
      '--provenance',
      '--json',
    ]
    const env = envOf(world.target.sandbox)
    const planned = async () => JSON.parse((await command([...args, '--dry-run'], env)).stdout)
    expect(await planned()).toMatchObject({ to_create: { comment: 6 }, created_before: { comment: 0 } })
    expect(JSON.parse((await command(args, env)).stdout)).toMatchObject({ created: { comment: 6 } })
    expect(await planned()).toMatchObject({ to_create: { comment: 0 }, created_before: { comment: 6 } })
  })

  test('--dry-run follows --assume, and refuses a wrong one', async () => {
    const bag = await ownBag()
    world.target.sandbox.faults.add({ kind: 'reset', operation: 'posts.create' })
    const { unknown } = await restore(bag)
    const dry = [bag, '--to-project', world.target.pid, '--dry-run', '--json', '--assume']
    const planned = await command([...dry, `post:${unknown[0]?.id}=not-created`], envOf(world.target.sandbox))
    expect(JSON.parse(planned.stdout)).toMatchObject({ to_create: { post: 1 }, created_before: { post: 4 } })
    const refused = await command([...dry, 'post:none=not-created'], envOf(world.target.sandbox))
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/no such call is unknown/) })
  })

  test('the example of docs/restore.md carries a project from one service to another', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../docs/restore.md'), 'utf8')
    const script = /<!-- run: restore -->\n```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    const cwd = await scratch()
    await writeFile(join(cwd, 'token'), world.target.sandbox.token, { mode: 0o600 })
    const own = script
      .replaceAll('https://new.example.com', world.target.sandbox.baseUrl)
      .replaceAll('/run/secrets/new-token', join(cwd, 'token'))
      .replaceAll('COLLAB_BASE_URL=', 'COLLAB_TOKEN= COLLAB_BASE_URL=')
      .replaceAll(/\bP1\b/g, world.from.pids[0] ?? '')
      .replaceAll(/\bP2\b/g, world.target.pid)
      .replaceAll(/\bE1\b/g, world.target.entry)
    const stdout = await runScript(own, { cwd, env: envOf(world.from) })
    expect(stdout).toMatch(/^Would be created: 14 pages/m)
    expect(stdout).toMatch(/^Restored$/m)
    expect(world.target.sandbox.store.truth(world.target.pid).tasks).toHaveLength(6)
  })
})
