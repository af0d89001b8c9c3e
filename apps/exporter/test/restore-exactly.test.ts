import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { describe, expect, test } from 'vitest'
import { type Alteration, alteredService } from './altered-service.ts'
import {
  bagOf,
  type Given,
  type Json,
  ownBackup,
  restoreInto,
  rewriteJournal,
  useRestoreWorld,
} from './restore-sandboxes.ts'
import { shell } from './tools.ts'

const world = useRestoreWorld({ pages: 8, posts: 4, tasks: 4 })

interface Altered extends Given {
  readonly alterations?: readonly Alteration[]
}

async function restore({ alterations = [], ...given }: Altered = {}) {
  const baseUrl = given.baseUrl ?? (await alteredService(world.target.sandbox, alterations))
  return restoreInto(world.target, world.bag, { journal: join(dirname(world.bag), 'journal.jsonl'), ...given, baseUrl })
}

/** The differences in short: where each was found, the kind of record, the field. */
async function differences(given: Altered): Promise<string[]> {
  const { inexact } = await restore(given)
  return [...new Set(inexact.map(({ seen, kind, field }) => `${seen} ${kind} ${field}`))].sort()
}

const answered = (path: string, change: (answer: Json) => Json): Alteration => ({
  method: 'POST',
  path,
  answered: change,
})
const sent = (path: string, change: (body: Json) => Json): Alteration => ({ method: 'POST', path, sent: change })
const isSecond = (value: unknown): boolean => String(value).includes('twin')

describe('a restore compares every answer with its request:', () => {
  test('an answer with the id of another record is an error; the created record is found', async () => {
    const once = { page: '', post: '', task: '' }
    const same = (path: keyof typeof once, field: string) =>
      answered(path, (answer) => {
        if (once[path] === '') once[path] = String(answer[field])
        return { ...answer, [field]: once[path] }
      })
    const alterations = [same('page', 'page_id'), same('post', 'post_id'), same('task', 'tid')]
    const { inexact, unknown, created, notRestored } = await restore({ alterations })
    const { pages, posts, tasks } = world.target.sandbox.store.truth(world.target.pid)
    // All answers but the first of each kind had the first one's id.
    expect(inexact.filter(({ field }) => field === 'page_id' || field === 'tid')).toHaveLength(
      pages.length - 1 + tasks.length - 1,
    )
    expect(inexact[0]?.how).toMatch(/^answered with the id of page /)
    expect({ created, notRestored }).toMatchObject({ created: { page: 8, post: 1, task: 4 }, notRestored: [] })
    expect(unknown.map(({ kind }) => kind)).toEqual(Array(posts.length - 1).fill('post'))
    expect(unknown[0]?.why).toMatch(/answered with the id of post .*lists no posts/)
    expect(pages).toHaveLength(8)
  })

  test('an answer with an id that existed before the restore is an error', async () => {
    world.target.sandbox.store.change(world.target.pid, ({ pages }, owner) => {
      const [page] = world.from.store.truth(world.from.pids[0] ?? '').pages
      pages.push({
        ...structuredClone(page),
        pid: world.target.pid,
        page_id: 'old',
        parent_id: '',
        name: 'old',
        owner,
      } as never)
    })
    const { inexact } = await restore({ alterations: [answered('page', (page) => ({ ...page, page_id: 'old' }))] })
    expect(inexact.map(({ how }) => how)).toContain('answered with the id of a page that existed before')
  })
})

describe('a restore reads back what it created and compares it with the backup:', () => {
  test('records that are missing, unreadable records, and comments that are not counted', async () => {
    const gone: Alteration = {
      method: 'GET',
      path: 'pages',
      answered: (pages: unknown) => (Array.isArray(pages) ? pages.slice(0, -1) : pages),
    }
    const uncounted: Alteration = {
      method: 'GET',
      path: 'tasks',
      answered: (tasks: { badges: Json }[]) =>
        tasks.map((task) => ({ ...task, badges: { ...task.badges, comment_count: 0 } })),
    }
    const baseUrl = await alteredService(world.target.sandbox, [gone, uncounted])
    expect(await differences({ baseUrl })).toEqual(['read comment comment_count', 'read page page_id'])
    world.target.sandbox.faults.add({ kind: 'error', operation: 'pages.list', errorCode: 120001, times: 'always' })
    const { notCompared } = await restore({ baseUrl })
    expect(notCompared).toHaveLength(8)
    expect(notCompared[0]).toMatchObject({ kind: 'page', why: expect.stringContaining('120001') })
  })

  test('a record that exists twice', async () => {
    const baseUrl = await alteredService(world.target.sandbox, [])
    await restore({ baseUrl })
    world.target.sandbox.store.change(world.target.pid, ({ pages }) => {
      pages.push({ ...structuredClone(pages[0]), page_id: 'again' } as never)
    })
    const { inexact } = await restore({ baseUrl })
    expect(inexact).toMatchObject([{ seen: 'read', field: 'page_id', how: 'exists twice', found: 'again' }])
  })

  test('after an interruption, also the records and answers of the previous run', async () => {
    const controller = new AbortController()
    const onItem = (done: number) => done === 5 && controller.abort()
    const cut = answered('page', (page) => ({ ...page, name: isSecond(page['name']) ? '' : page['name'] }))
    const journal = join(dirname(world.bag), 'journal.jsonl')
    const baseUrl = await alteredService(world.target.sandbox, [cut])
    await expect(restore({ baseUrl, journal, onItem, signal: controller.signal })).rejects.toThrow()
    world.target.sandbox.store.change(world.target.pid, ({ pages }) => {
      if (pages[0]) pages[0].content = 'changed meanwhile'
    })
    const { inexact, before, compared } = await restore({ baseUrl, journal })
    expect(before.page).toBe(5)
    expect(compared).toEqual({ page: 8, post: 4, task: 4 })
    expect(inexact.map(({ seen, field }) => `${seen} ${field}`)).toEqual(
      expect.arrayContaining(['answer name', 'read content']),
    )
  })

  test('the command ends with 3 and names records, fields and both values', async () => {
    const baseUrl = await alteredService(world.target.sandbox, [
      sent('page', (body) => ({ ...body, name: `${body['name']}!` })),
    ])
    const env = { COLLAB_BASE_URL: baseUrl, COLLAB_TOKEN: world.target.sandbox.token }
    const args = [
      'restore',
      world.bag,
      '--to-project',
      world.target.pid,
      '--entry',
      world.target.entry,
      '--settle',
      '0',
    ]
    const { code, stdout } = await run('collab-export', [...args, '--json'], { env, cwd: await scratch() })
    const { status, differences: found, compared } = JSON.parse(stdout)
    expect({ code, status, compared }).toEqual({ code: 3, status: 'partial', compared: { page: 8, post: 4, task: 4 } })
    expect(found).toHaveLength(16)
    expect(found[0]).toMatchObject({ kind: 'page', seen: 'answer', field: 'name', new_id: expect.any(String) })
    const shown = await run('collab-export', args, { env, cwd: await scratch() })
    expect(shown).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/different from the backup: 16 differences/),
    })
  })
})

describe('a restore stops before it creates anything', () => {
  const creations = () => world.target.sandbox.requests.filter(({ method }) => method === 'POST')

  test('if the target is the source and still contains the records', async () => {
    const [pid = ''] = world.from.pids
    const env = { COLLAB_BASE_URL: world.from.baseUrl, COLLAB_TOKEN: world.from.token }
    const args = ['restore', world.bag, '--to-project', pid, '--settle', '0']
    const before = world.from.store.truth(pid).pages.length
    const { code, stderr } = await run('collab-export', args, { env, cwd: await scratch() })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/still contains its page .*--allow-source\n$/),
    })
    expect(world.from.store.truth(pid).pages).toHaveLength(before)
  })

  test('if the journal has no directory or is not a regular file', async () => {
    const folder = await scratch()
    const fifo = join(folder, 'fifo')
    await shell(folder, 'mkfifo fifo')
    for (const journal of [join(folder, 'none/journal'), '/dev/null', folder, fifo]) {
      await expect(restore({ journal })).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining('--journal'),
      })
    }
    expect(creations()).toEqual([])
  })

  test('if the journal is of another restore or version', async () => {
    const { journal } = await restore()
    const baseUrl = await alteredService(world.target.sandbox, [])
    const of = (head: Json) => rewriteJournal(journal, ([first, ...lines]) => [{ ...first, ...head }, ...lines])
    world.target.sandbox.clearRequests()
    for (const head of [{ base_url: 'https://other' }, { from_project: 'P8' }, { to_project: 'P8' }, { version: 3 }]) {
      await of({
        base_url: baseUrl,
        from_project: world.from.pids[0],
        to_project: world.target.pid,
        version: 2,
        ...head,
      })
      await expect(restore({ baseUrl, journal })).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringMatching(
          'version' in head
            ? /was written by another version/
            : /is the journal of a restore of project \S+ into project/,
        ),
      })
    }
    expect(creations()).toEqual([])
  })
})

test('the comparison finds a journal that maps two records to one, or to a missing one', async () => {
  const { journal } = await restore()
  const baseUrl = await alteredService(world.target.sandbox, [])
  const pages: Json[] = []
  await rewriteJournal(journal, ([head, ...lines]) => {
    pages.push(...lines.filter(({ state, call }) => state === 'done' && call === 'page'))
    Object.assign(pages[1] ?? {}, { new: pages[0]?.['new'] })
    Object.assign(pages[2] ?? {}, { new: 'nowhere' })
    return [{ ...head, base_url: baseUrl }, ...lines]
  })
  const [first, second, third] = pages.map(({ id }) => id)
  const { inexact } = await restore({ baseUrl, journal })
  expect(inexact.filter(({ field }) => field === 'page_id').map(({ id, how }) => [id, how])).toEqual(
    expect.arrayContaining([
      [second, `also that of page ${first}`],
      [third, 'not in the project'],
    ]),
  )
})

test('a restore stops and names the file if the backup is damaged meanwhile', async () => {
  const [named = ''] =
    /data\/jsonl\/.*\/pages\.jsonl/.exec(await readFile(join(world.bag, 'manifest-sha256.txt'), 'utf8')) ?? []
  const path = join(world.bag, named)
  const damaged = (await readFile(path, 'utf8')).replaceAll('"content":"', '"content":"!')
  const restoring = restore({ onItem: (done) => done === 2 && writeFileSync(path, damaged) })
  await expect(restoring).rejects.toMatchObject({ exitCode: 5, message: expect.stringMatching(/pages\.jsonl/) })
})

test('names all missing records if the project is deleted during the restore', async () => {
  const baseUrl = await alteredService(world.target.sandbox, [])
  const onItem = (done: number) => {
    if (done !== 3) return
    world.target.sandbox.faults.add({ kind: 'error', operation: 'pages.create', errorCode: 120003, times: 'always' })
    world.target.sandbox.faults.add({ kind: 'error', operation: 'posts.create', errorCode: 900003, times: 'always' })
    world.target.sandbox.faults.add({ kind: 'error', operation: 'tasks.create', errorCode: 600003, times: 'always' })
    world.target.sandbox.faults.add({ kind: 'error', operation: 'pages.list', errorCode: 120001, times: 'always' })
  }
  const { created, notRestored, notCompared } = await restore({ baseUrl, onItem })
  const left = notRestored.reduce((sum, { more = 0 }) => sum + 1 + more, 0)
  expect({ created: created.page, left, unread: notCompared.length }).toEqual({
    created: 3,
    left: 13,
    unread: 3,
  })
})

test('status 200 with an error is not a creation; an empty answer starts a search', async () => {
  world.target.sandbox.faults.add({ kind: 'error_in_200', operation: 'pages.create', errorCode: 120003, times: 1 })
  world.target.sandbox.faults.add({
    kind: 'error_in_200',
    operation: 'pages.create',
    errorCode: 100001,
    processed: true,
    times: 1,
  })
  const { notRestored, created, inexact } = await restore()
  expect(notRestored.filter(({ reason }) => reason === 'refused')).toHaveLength(1)
  expect({ inexact, pages: world.target.sandbox.store.truth(world.target.pid).pages.length }).toEqual({
    inexact: [],
    pages: created.page,
  })
})

test('a post that the service says it did not create may exist: the summary says so', async () => {
  const error = { kind: 'error', operation: 'posts.create', errorCode: 900003, processed: true, times: 1 } as const
  world.target.sandbox.faults.add(error)
  const place = ['--entry', world.target.entry, '--journal', join(dirname(world.bag), 'journal.jsonl')]
  const args = ['restore', world.bag, '--to-project', world.target.pid, ...place]
  const env = { COLLAB_BASE_URL: world.target.sandbox.baseUrl, COLLAB_TOKEN: world.target.sandbox.token }
  const { code, stdout } = await run('collab-export', args, { cwd: await scratch(), env })
  expect({ code, stdout }).toEqual({
    code: 3,
    stdout: expect.stringMatching(/Not restored: 1 post\n.*may have created/),
  })
  world.target.sandbox.faults.add(error)
  expect(await restore({ baseUrl: world.target.sandbox.baseUrl })).toMatchObject({
    notRestored: [{ reason: 'may_exist' }],
  })
})

test('a partial backup is named as such by a restore and by a dry run', async () => {
  world.from.faults.add({ kind: 'error', operation: 'posts.get', errorCode: 900004, times: 'always' })
  world.bag = await ownBackup(await bagOf(world.from))
  world.from.faults.clear()
  const env = { COLLAB_BASE_URL: world.target.sandbox.baseUrl, COLLAB_TOKEN: world.target.sandbox.token }
  const args = ['restore', world.bag, '--to-project', world.target.pid, '--entry', world.target.entry, '--settle', '0']
  const plan = await run('collab-export', [...args, '--dry-run'], { env, cwd: await scratch() })
  expect(plan.stdout).toMatch(/the backup is partial.*posts \(/)
  const { code, stdout } = await run('collab-export', [...args, '--json'], { env, cwd: await scratch() })
  expect(code).toBe(3)
  expect(JSON.parse(stdout).backup_incomplete).toMatchObject([{ stream: 'posts' }])
})
