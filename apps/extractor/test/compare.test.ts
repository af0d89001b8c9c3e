import { setTimeout as sleep } from 'node:timers/promises'
import type { Ran, Started } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { TABLES } from '@collab-etl/warehouse'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CompareDocument } from '../src/compare/summary.ts'
import { onBackendsOfSlowTests, openWorld, type World } from './world.ts'

const SIZES = { projects: 3, barred: 1, tasks: 9, archived: 6, pages: 6, posts: 6, events: 6 }

async function compare(at: World, ...args: string[]): Promise<{ code: number | null; document: CompareDocument }> {
  const { code, stdout } = await at.extract(['compare', '--json', ...args])
  return { code, document: JSON.parse(stdout) as CompareDocument } // what it promises, checked below
}

/** Every difference in one line: `stream: kind table key columns`. */
const lines = ({ scopes }: CompareDocument) =>
  scopes.flatMap(({ stream, differences }) =>
    differences.map(({ table, kind, key, columns }) =>
      [`${stream}: ${kind} ${table}`, ...Object.values(key), ...columns].join(' '),
    ),
  )

/** All that is stored, with the transaction that wrote each row. */
async function contents(at: World): Promise<unknown> {
  const runTables = ['known_posts', 'known_files', 'runs', 'run_scopes', 'losses'].map((name) => `collab.${name}`)
  const all = [...runTables, ...TABLES.flatMap(({ name }) => [`collab.${name}`, `collab_history.${name}`])]
  const each = all.map((table) => `SELECT '${table}', t.xmin::text, t::text FROM ${table} t`)
  return await at.rows(`${each.join(' UNION ALL ')} ORDER BY 1, 3`)
}

onBackendsOfSlowTests('compare', (open) => {
  let at: World
  beforeAll(async () => {
    at = await openWorld({ ...SIZES, retries: 0 }, open)
    expect((await at.snapshot()).code).toBe(0)
  })
  afterAll(() => at[Symbol.asyncDispose]())

  const pid = () => at.sandbox.pids[0] ?? ''

  test('a warehouse that holds what the service has: exit 0, the whole document, nothing written', async () => {
    const before = await contents(at)
    const [user] = at.sandbox.store.users
    at.sandbox.store.changeUser(user?.uid ?? '', (changed) => {
      changed.online = changed.online === 1 ? 0 : 1
    })
    const { code, document } = await compare(at)
    expect(lines(document)).toEqual([])
    expect(code).toBe(0)
    expect(document).toEqual({
      status: 'same',
      projects: { total: 3, same: 3, different: 0, incomplete: 0 },
      sample: null,
      scopes: expect.any(Array),
      requests: expect.any(Number),
      retries: 0,
      bytes: expect.any(Number),
      duration_ms: expect.any(Number),
      error: null,
    })
    expect(document.scopes).toHaveLength(2 + 3 * 8)
    const run = document.scopes.find(({ stream }) => stream === 'tasks')?.hash.run_id
    for (const { pid: of, stream, hash, ...scope } of document.scopes) {
      expect([of, stream, scope]).toEqual([
        ...[of, stream],
        {
          status: 'same',
          records: expect.any(Number),
          counts: { missing: 0, extra: 0, changed: 0 },
          differences: [],
          note: null,
          error: null,
        },
      ])
      if (of === null && stream === 'projects') continue
      expect(hash).toEqual({ stored: expect.stringMatching(/^[0-9a-f]{64}$/), now: hash.stored, run_id: run })
    }
    expect(await contents(at)).toEqual(before)
  })

  testThoroughly('damage in the database: exit 5, the hash as it was, each row by its key', async () => {
    const truth = at.sandbox.store.truth(pid())
    const task = truth.tasks.find(({ labels }) => labels.length > 0)
    const comment = truth.posts.flatMap(({ comments }) => comments)[0]
    const [page, event] = [truth.pages[0], truth.events[0]]
    if (!task || !comment || !page || !event) throw new Error('the sandbox seeds too little')
    await at.script(`
      UPDATE collab.tasks SET name = 'damaged', due_at = '2001-01-01Z' WHERE tid = '${task.tid}';
      DELETE FROM collab.task_labels WHERE tid = '${task.tid}' AND name = '${task.labels[0]?.name}';
      INSERT INTO collab.pages (pid, page_id, valid_from) VALUES ('${pid()}', 'nowhere', now());
      UPDATE collab.post_comments SET message = message || '!' WHERE cid = '${comment.cid}';
      DELETE FROM collab.events WHERE event_id = '${event.event_id}'`)
    const { code, document } = await compare(at, '--project', pid())
    expect(code).toBe(5)
    const events = truth.events.filter(({ event_id }) => event_id === event.event_id).map(({ start }) => start)
    expect(lines(document)).toEqual([
      `tasks: changed tasks ${task.tid} name due_at`,
      `tasks: missing task_labels ${task.tid} ${task.labels[0]?.name}`,
      'pages: extra pages nowhere',
      expect.stringMatching(new RegExp(`^posts: changed post_comments \\S+ ${comment.cid} message$`)),
      ...events.toSorted().map((start) => `events: missing events ${event.event_id} ${new Date(start).toISOString()}`),
    ])
    for (const { hash } of document.scopes) expect(hash.now).toBe(hash.stored)
    expect(document.projects).toEqual({ total: 1, same: 0, different: 1, incomplete: 0 })

    const shown = await at.extract(['compare', '--project', pid()])
    expect(shown.code).toBe(5)
    expect(shown.stdout).toMatch(/^The warehouse does NOT hold what the service has/)
    expect(shown.stdout).toContain(`\n    changed tasks ${task.tid}: name, due_at\n`)
    expect(shown.stdout).toContain(
      'The next snapshot compares every value of these scopes and repairs the differences.',
    )
    const repaired = await at.extract(['snapshot', '--project', pid(), '--json'])
    expect([repaired.code, JSON.parse(repaired.stdout).status]).toEqual([0, 'succeeded'])
    expect(repaired.stderr).toContain('compare found differences in 4 scopes')
    expect(lines((await compare(at, '--project', pid())).document)).toEqual([])
    const ordinary = JSON.parse((await at.extract(['snapshot', '--json'])).stdout)
    expect(ordinary.rows).toMatchObject({ tasks: { updated: 0 }, task_labels: { inserted: 0 }, pages: { deleted: 0 } })
  })

  test('what changed in the service, and a scope that fails: 5 goes before 3', async () => {
    const { sandbox } = at
    const [first = '', second = '', third = ''] = sandbox.pids
    const fault = sandbox.faults.add({
      kind: 'error',
      operation: 'pages.list',
      where: { pid: second },
      times: 'always',
    })
    const failed = await compare(at)
    expect(failed.code).toBe(3)
    expect(failed.document).toMatchObject({ status: 'incomplete', projects: { same: 2, different: 0, incomplete: 1 } })
    const incomplete = failed.document.scopes.filter(({ status }) => status !== 'same')
    expect(incomplete).toMatchObject([
      { pid: second, stream: 'pages', status: 'incomplete', hash: { now: null }, error: { message: /pages\.list/ } },
    ])

    const truth = sandbox.store.truth(first)
    const [task, page] = [truth.tasks[0], truth.pages.at(-1)]
    if (!task || !page) throw new Error('the sandbox seeds too little')
    sandbox.store.change(first, ({ tasks, pages }) => {
      if (tasks[0]) tasks[0].name = 'renamed'
      tasks.push({ ...task, tid: 'added', entry_id: task.entry_id, labels: [], members: [], watchers: [], todos: [] })
      pages.pop()
    })
    const gone = structuredClone(sandbox.store.project(third)) as Parameters<typeof sandbox.store.addProject>[0]
    sandbox.store.removeProject(third)
    const { code, document } = await compare(at)
    expect(code).toBe(5)
    expect(lines(document)).toEqual(
      expect.arrayContaining([
        `projects: extra projects ${third}`,
        `tasks: changed tasks ${task.tid} name`,
        'tasks: missing tasks added',
        `pages: extra pages ${page.page_id}`,
      ]),
    )
    const different = document.scopes.filter(({ status }) => status === 'different')
    expect(different.map(({ pid: of, stream }) => [of, stream])).toEqual([
      [first, 'tasks'],
      [first, 'pages'],
      [null, 'projects'],
    ])
    for (const { pid: of, hash } of different) if (of !== null) expect(hash.now).not.toBe(hash.stored)
    sandbox.store.addProject(gone)
    fault.remove()
  })

  test('a failure that was accepted: exit 0, and it is named; what differs still counts', async () => {
    const { sandbox } = at
    const fault = sandbox.faults.add({ kind: 'error', operation: 'pages.list', where: { pid: pid() }, times: 'always' })
    await at.snapshot()
    const accept = ['accept', '--scope', `${pid()}/pages`, '--until', '2099-01-01', '--reason', 'ticket 4711']
    expect(await at.extract(accept)).toMatchObject({ code: 0 })
    const { code, document } = await compare(at)
    expect({ code, status: document.status }).toEqual({ code: 0, status: 'same' })
    const pages = { pid: pid(), stream: 'pages', status: 'accepted', note: 'until 2099-01-01: ticket 4711' }
    expect(document.scopes.filter(({ status }) => status === 'accepted')).toMatchObject([pages])
    const again = sandbox.faults.add({
      kind: 'error',
      operation: 'events.list',
      where: { pid: pid() },
      times: 'always',
    })
    const { code: other, stdout } = await at.extract(['compare'])
    expect({ code: other, stdout }).toEqual({ code: 3, stdout: expect.stringMatching(/as accepted:\n.*4711/) })
    again.remove()
    fault.remove()
    await at.snapshot()
  })

  testThoroughly('a sample, a project that was never stored, and the lock', async () => {
    const { sandbox } = at
    const sampled = await compare(at, '--sample', '0.4', '--events-to', '2030-01-01')
    expect(sampled.document.sample).toEqual({ fraction: 0.4, of: 3, chosen: [expect.any(String)] })
    expect(new Set(sampled.document.scopes.map(({ pid: of }) => of))).toEqual(new Set(sampled.document.sample?.chosen))

    const unknown = await at.extract(['compare', '--project', 'nowhere'])
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toContain('no run has stored project nowhere')

    let second: Promise<Ran> | undefined
    const stop = sandbox.beforeRequest(async ({ operation }) => {
      if (operation !== 'projects.list' || second !== undefined) return
      second = at.extract(['compare'])
      await second
    })
    expect((await at.extract(['snapshot'])).code).toBe(0)
    stop()
    expect(await second).toMatchObject({ code: 11, stdout: '' })
  })

  test('a 401 with an undocumented code in mid-run ends it with exit 4, and nothing is recorded', async () => {
    at.sandbox.setQuirks(['code-401=999999@6'])
    const { code, stderr } = await at.extract(['compare'])
    at.sandbox.setQuirks([])
    expect({ code, says: /999999 .*HTTP 401.*Check the access token/.test(stderr) }).toEqual({ code: 4, says: true })
    expect(await at.rows('SELECT * FROM collab.scopes_to_reread')).toEqual([])
  })

  testThoroughly('killed in the middle, it leaves nothing that the next run would trip over', async () => {
    let command: Started | undefined
    let asked = 0
    const stop = at.sandbox.beforeRequest(async ({ operation }) => {
      if (operation !== 'pages.list' || ++asked !== 2 || command === undefined) return
      command.kill('SIGKILL')
      await sleep(50)
    })
    const killed = await at.extract(['compare'], {
      onStart: (started) => {
        command = started
      },
    })
    stop()
    expect(killed).toMatchObject({ signal: 'SIGKILL' })
    const after = JSON.parse((await at.extract(['snapshot', '--json'])).stdout)
    expect(after.status).toBe('succeeded')
    expect((await compare(at)).code).toBe(0)
  })
})

onBackendsOfSlowTests('an empty warehouse', (open) => {
  test('exit 2, and what to do', async () => {
    await using database = await open()
    const env = { COLLAB_BASE_URL: 'http://127.0.0.1:1', COLLAB_TOKEN: 'x' }
    const ran = await database.extract(['verify'], { env })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('no run has finished yet')
  })
})
