import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../../test/harness/any-character.ts'
import { times } from '../../../test/harness/thorough.ts'
import type { Sandbox } from '../src/index.ts'
import { SERVED_OPERATIONS } from '../src/operations/served.ts'
import { call, operate, SMALL, sandboxForTest } from './support.ts'

/** Sends a body exactly as given; `type` null sends no content type. */
async function post(sandbox: Sandbox, path: string, type: string | null, body: string) {
  const response = await fetch(new URL(path, sandbox.baseUrl), {
    method: 'POST',
    headers: { access_token: sandbox.token, ...(type !== null && { 'content-type': type }) },
    body: new TextEncoder().encode(body), // bytes, so that fetch adds no content type
  })
  return { status: response.status, json: Object(await response.json()) }
}

test.each([
  ['application/json', '{"name":"ä & 中"}'],
  ['application/json; charset=utf-8', 'name=%C3%A4+%26+%E4%B8%AD'],
  ['application/json', 'name=ä %26 中'],
  ['application/x-www-form-urlencoded', 'name=%C3%A4%20%26%20%E4%B8%AD'],
  ['application/x-www-form-urlencoded', '{"name":"ä & 中"}'],
  ['text/plain', 'name=ä+%26+中'],
  ['json', 'name=ä+%26+中'],
  [';', '{"name":"ä & 中"}'],
  [null, 'name=ä+%26+中'],
  [null, '{"name":"ä & 中"}'],
])('content type %s with the body %s creates the page', async (type, body) => {
  const sandbox = await sandboxForTest()
  const { status, json } = await post(sandbox, `/v1/page?pid=${sandbox.pids[0]}`, type, body)
  expect([status, json.name]).toEqual([200, 'ä & 中'])
})

test('a form that is repeated in the query, as the client for .NET does, creates the page', async () => {
  const sandbox = await sandboxForTest()
  const path = `/v1/page?pid=${sandbox.pids[0]}&name=page&content=text`
  const { status, json } = await post(sandbox, path, 'application/x-www-form-urlencoded', 'name=page&content=text')
  expect([status, json.name]).toEqual([200, 'page'])
})

test('fids are read in every form notation, single or several', async () => {
  const sandbox = await sandboxForTest()
  const pid = sandbox.pids[0] ?? ''
  const { tasks, files } = sandbox.store.project(pid)
  const path = `/v1/tasks/${tasks[0]?.tid}/comment?pid=${pid}`
  const [a = '', b = ''] = files.map(({ file }) => file.fid)
  for (const [fids, expected] of [
    ['fids=[]', []],
    ['fids=', []],
    [`fids=${a}`, [a]],
    [`fids=${a}&fids=${b}`, [a, b]],
    [`fids=['${a}']`, [a]],
    [`fids=['${a}','${b}']`, [a, b]],
    [`fids=${encodeURIComponent(`["${a}", "${b}"]`)}`, [a, b]],
    [`fids=[${a}, ${b}]`, [a, b]],
    [`fids[]=${a}`, [a]],
    [`fids%5B%5D=${a}&fids%5B%5D=${b}`, [a, b]],
    [`fids[0]=${a}`, [a]],
    [`fids[1]=${b}&fids[0]=${a}`, [a, b]],
  ] as const) {
    const { status, json } = await post(sandbox, path, 'application/x-www-form-urlencoded', `message=m&${fids}`)
    expect([status, json.fids], fids).toEqual([200, expected])
  }
  const inJson = await post(sandbox, path, 'application/json', JSON.stringify({ message: 'm', fids: `['${a}']` }))
  expect(inJson.json.fids).toEqual([a])
})

test('an empty token header is ignored; the header takes precedence over the query', async () => {
  const sandbox = await sandboxForTest()
  const status = async (header: string, query: string) =>
    (await call(sandbox, 'GET', `/v1/projects?access_token=${query}`, { token: { header } })).status
  expect(await status('', sandbox.token)).toBe(200)
  expect(await status(sandbox.token, 'other')).toBe(200)
  expect(await status('other', sandbox.token)).toBe(400)
  expect(await status('', '')).toBe(401)
})

test('every path may end with a slash, except that of one project', async () => {
  const sandbox = await sandboxForTest({ extended: true })
  for (const { id, method, path } of SERVED_OPERATIONS) {
    const filled = path.replaceAll(/:\w+/g, 'x')
    const [plain, slashed] = [await call(sandbox, method, filled), await call(sandbox, method, `${filled}/`)]
    if (id === 'projects.list') expect(slashed.json).toMatchObject({ error_code: 400002 })
    else expect([slashed.status, slashed.text], id).toEqual([plain.status, plain.text])
  }
})

test.each([
  ['text', 'true', 'false'],
  ['boolean', true, false],
] as const)('success: %s writes %j and %j', async (success, yes, no) => {
  const sandbox = await sandboxForTest({ success })
  const pid = sandbox.pids[0] ?? ''
  const { webhooks, tasks, posts } = sandbox.store.truth(pid)
  const wid = webhooks[0]?.wid ?? ''
  const task = tasks.find(({ labels, members }) => labels.length > 0 && members.length > 0)
  const post = posts.find(({ comments }) => comments.length > 0)
  const tid = task?.tid ?? ''
  const done = [
    await operate(sandbox, 'tasks.members.delete', { pid, tid, member_id: task?.members[0]?.uid ?? '' }),
    await operate(sandbox, 'tasks.labels.delete', { pid, tid, label: task?.labels[0]?.name ?? '' }),
    await operate(sandbox, 'posts.comments.delete', {
      pid,
      post_id: post?.post.post_id ?? '',
      cid: post?.comments[0]?.cid ?? '',
    }),
    await operate(sandbox, 'webhooks.delete', { pid, wid }),
  ]
  expect(done.map(({ json }) => json)).toEqual(done.map(() => ({ success: yes })))
  expect((await operate(sandbox, 'webhooks.delete', { pid, wid })).json).toEqual({ success: no })
})

test('fractionalPositions changes positions of tasks and nothing else', async () => {
  const tasksOf = async (fractionalPositions: boolean) => {
    const sandbox = await sandboxForTest({ tasks: 300, fractionalPositions })
    return sandbox.pids.flatMap((pid) => sandbox.store.truth(pid).tasks)
  }
  const [whole, fractional] = [await tasksOf(false), await tasksOf(true)]
  expect(whole.every(({ pos }) => Number.isInteger(pos))).toBe(true)
  expect(fractional.some(({ pos }) => !Number.isInteger(pos))).toBe(true)
  expect(fractional.map((task) => ({ ...task, pos: Math.floor(task.pos) }))).toEqual(whole)
})

test('every answer is JSON, and none is an unexpected 500', { tags: 'thorough' }, async () => {
  const sandbox = await sandboxForTest({ ...SMALL, extended: true })
  const pid = sandbox.pids[0] ?? ''
  const { tasks, posts, files, events, webhooks, entries, members, detail } = sandbox.store.truth(pid)
  const known = [
    pid,
    entries[0]?.entry_id,
    members[1]?.uid,
    detail.team_id,
    '2026-02-30',
    '25:00',
    tasks[0]?.tid,
    posts[0]?.post.post_id,
    files[0]?.file.fid,
    events[0]?.event_id,
    webhooks[0]?.wid,
  ]
  const text = fc.oneof(
    fc.constantFrom(...known.map(String)),
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('', '0'),
  )
  const path = fc.oneof(
    fc
      .constantFrom(...SERVED_OPERATIONS.map((operation) => operation.path))
      .chain((template) =>
        fc
          .array(text, { minLength: 3, maxLength: 3 })
          .map((values) =>
            template.replaceAll(/:\w+/g, () => encodeURIComponent((values.pop() ?? 'x').toWellFormed())),
          ),
      ),
    fc.webPath().map((end) => `/v1${end}`),
  )
  const names = [
    'uid',
    'uids',
    'role',
    'expire',
    'to_pid',
    'to_entry_id',
    'start_date',
    'end_time',
    'folder_id',
    'pid',
    'page',
    'size',
    'type',
    'label',
    'start',
    'end',
    'name',
    'fids',
    'message',
    'entry_id',
    'x[]',
  ]
  const pairs = fc.array(fc.tuple(fc.constantFrom(...names, '__proto__', 'fids[0]', '%'), text), { maxLength: 6 })
  const encode = (list: [string, string][]) =>
    new URLSearchParams(list.map(([name, value]): [string, string] => [name, value.toWellFormed()])).toString()
  const body = fc.oneof(pairs.map(encode), fc.json(), fc.string({ unit: anyCharacter }), fc.constant(''))
  const type = fc.constantFrom(
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain',
    'a/b;c',
    ';',
    'json',
    null,
  )
  const method = fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS')
  await fc.assert(
    fc.asyncProperty(method, path, pairs, type, body, async (verb, where, query, contentType, sent) => {
      const url = `${sandbox.baseUrl}${where}${where.includes('?') ? '&' : '?'}${encode(query)}`
      const response = await fetch(url, {
        method: verb,
        headers: { access_token: sandbox.token, ...(contentType !== null && { 'content-type': contentType }) },
        ...(verb !== 'GET' && { body: new TextEncoder().encode(sent) }),
      })
      const answer = Object(await response.json())
      if (response.status !== 200) {
        expect(answer).toEqual({
          error_code: expect.any(Number),
          error_message: expect.any(String),
          request: expect.any(String),
        })
      }
      expect(answer.error_code).not.toBe(500)
    }),
    { numRuns: times(60, 1500), endOnFailure: true },
  )
})
