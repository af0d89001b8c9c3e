import { beforeEach, describe, expect, test } from 'vitest'
import type { Sandbox } from '../src/index.ts'
import { sandboxForTest } from './support.ts'

/** A request as a client sends it. `{pid}`, `{tid}`, … are replaced by ids of the sandbox, `{token}` by its token. */
interface ClientCall {
  readonly name: string
  readonly method?: 'POST' | 'DELETE'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Fields of the answer that prove that the request was understood. */
  readonly answer?: object
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const created = (name: string) => ({ name })

/** isayme/node-worktile: `request` with `json: true`; the paths of comment lists end with a slash. */
const node: ClientCall[] = [
  { name: 'lists projects', path: '/v1/projects' },
  { name: 'reads a project', path: '/v1/projects/{pid}' },
  { name: 'lists tasks', path: '/v1/tasks?pid={pid}' },
  { name: "lists today's tasks", path: '/v1/tasks/today' },
  { name: 'lists comments of a post', path: '/v1/posts/{post_id}/comments/?pid={pid}' },
  { name: 'reads a post', path: '/v1/posts/{post_id}?pid={pid}' },
  {
    ...{ name: 'creates a task', method: 'POST', path: '/v1/task?pid={pid}' },
    ...{ body: '{"entry_id":"{entry_id}","name":"from node"}', answer: created('from node') },
  },
  {
    ...{ name: 'comments on a task', method: 'POST', path: '/v1/tasks/{tid}/comment?pid={pid}' },
    ...{ body: '{"message":"hi","fids":["{fid}"]}', answer: { message: 'hi', fids: ['{fid}'] } },
  },
  {
    ...{ name: 'takes a member off a task', method: 'DELETE', path: '/v1/tasks/{tid}/members/{uid}?pid={pid}' },
    answer: { success: 'true' },
  },
].map((call) => ({
  ...call,
  headers: { access_token: '{token}', accept: JSON_TYPE, ...('body' in call && { 'content-type': JSON_TYPE }) },
})) as ClientCall[] // a list of literals widens `method` to string

/** etvc/Worktile_OpenAPI_NET_SDK: posts a form and repeats it in the query; lists are texts such as `['a','b']`. */
const dotNet: ClientCall[] = [
  { name: 'lists tasks of a type', path: '/v1/tasks?pid={pid}&type=all' },
  { name: 'lists archived tasks', path: '/v1/tasks/archived?pid={pid}' },
  { name: 'lists pages', path: '/v1/pages?pid={pid}' },
  { name: 'reads a file', path: '/v1/files/{fid}?pid={pid}' },
  { name: 'lists events', path: '/v1/events?pid={pid}&start=1400000000000&end=1900000000000' },
  {
    ...{ name: 'creates a page', method: 'POST', path: '/v1/page?pid={pid}&name=page&content=text' },
    ...{ body: 'name=page&content=text', answer: created('page') },
  },
  {
    ...{ name: 'comments with two files', method: 'POST', path: '/v1/tasks/{tid}/comment?pid={pid}&message=hi' },
    ...{ body: "message=hi&fids=%5B'{fid}'%2C'{fid2}'%5D", answer: { fids: ['{fid}', '{fid2}'] } },
  },
  {
    ...{ name: 'comments without a file', method: 'POST', path: '/v1/tasks/{tid}/comment?pid={pid}&message=hi' },
    ...{ body: 'message=hi&fids=%5B%5D', answer: { fids: [] } },
  },
].map((call) => ({
  ...call,
  headers: { access_token: '{token}', 'content-type': 'body' in call ? FORM_TYPE : JSON_TYPE },
})) as ClientCall[] // as above

/** BroncoTc/worktile-tgbot: Python's requests; the token in the query for some calls, in the header for others. */
const telegramBot: ClientCall[] = [
  { name: 'lists projects', path: '/v1/projects', headers: { access_token: '{token}' } },
  { name: 'lists projects by query', path: '/v1/projects?access_token={token}' },
  { name: 'reads a project', path: '/v1/projects/{pid}', headers: { access_token: '{token}' } },
  { name: "lists today's tasks", path: '/v1/tasks/today?access_token={token}' },
  {
    ...{ name: 'creates a task', method: 'POST', path: '/v1/task?pid={pid}&access_token={token}' },
    ...{ headers: { 'content-type': FORM_TYPE }, body: 'name=from+the+bot&entry_id={entry_id}' },
    answer: created('from the bot'),
  },
  {
    ...{
      name: 'deletes a task group',
      method: 'DELETE',
      path: '/v1/entries/{entry_id}?pid={pid}&access_token={token}',
    },
    answer: { success: true },
  },
]

/** lx1036/WorktileSDK: Guzzle's `form_params` with a JSON content type; lists as `fids[0]`. */
const php: ClientCall[] = [
  { name: 'lists projects', path: '/v1/projects' },
  { name: 'reads a project', path: '/v1/projects/{pid}' },
  {
    ...{ name: 'creates a post', method: 'POST', path: '/v1/post?pid={pid}' },
    ...{ body: 'name=%E6%96%B0+post&content=%23+A', answer: created('新 post') },
  },
  {
    ...{ name: 'creates a task', method: 'POST', path: '/v1/task?pid={pid}' },
    ...{ body: 'name=from+PHP&entry_id={entry_id}', answer: created('from PHP') },
  },
  {
    ...{ name: 'comments with two files', method: 'POST', path: '/v1/tasks/{tid}/comment?pid={pid}' },
    ...{ body: 'message=hi&fids%5B0%5D={fid}&fids%5B1%5D={fid2}', answer: { fids: ['{fid}', '{fid2}'] } },
  },
].map((call) => ({ ...call, headers: { access_token: '{token}', 'content-type': JSON_TYPE } })) as ClientCall[] // as above

/** A connector that sends every header it knows, some of them empty, and no content type. */
const connector: ClientCall[] = [
  { name: 'lists projects', path: '/v1/projects?access_token={token}' },
  { name: 'lists webhooks', path: '/v1/webhooks?pid={pid}&access_token={token}' },
  { name: 'lists comments of a file', path: '/v1/files/{fid}/comments/?pid={pid}&access_token={token}' },
  {
    ...{ name: 'creates a page', method: 'POST', path: '/v1/page?pid={pid}&access_token={token}' },
    ...{ body: 'name=plain', answer: created('plain') },
  },
  {
    ...{ name: 'comments', method: 'POST', path: '/v1/tasks/{tid}/comment?pid={pid}&access_token={token}' },
    ...{ body: 'message=hi&fids[]={fid}', answer: { fids: ['{fid}'] } },
  },
].map((call) => ({ ...call, headers: { access_token: '' } })) as ClientCall[] // as above

let sandbox: Sandbox
let ids: Readonly<Record<string, string>>

beforeEach(async () => {
  sandbox = await sandboxForTest()
  const [pid = ''] = sandbox.pids
  const { tasks, entries, posts, files } = sandbox.store.truth(pid)
  const task = tasks.find(({ members }) => members.length > 0)
  const [fid = '', fid2 = ''] = files.map(({ file }) => file.fid)
  ids = {
    ...{ token: sandbox.token, pid, tid: task?.tid ?? '', uid: task?.members[0]?.uid ?? '' },
    ...{ entry_id: entries[0]?.entry_id ?? '', post_id: posts[0]?.post.post_id ?? '', fid, fid2 },
  }
})

const filled = (template: string) => template.replaceAll(/\{(\w+)\}/g, (whole, name) => ids[name] ?? whole)

describe.each(Object.entries({ node, dotNet, telegramBot, php, connector }))('%s', (_, calls) => {
  test.each(calls)('$name', async ({ method = 'GET', path, headers = {}, body, answer }) => {
    const response = await fetch(new URL(filled(path), sandbox.baseUrl), {
      method,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
      // Bytes, so that fetch adds no content type.
      ...(body !== undefined && { body: new TextEncoder().encode(filled(body)) }),
    })
    const json = await response.json()
    expect(response.status, JSON.stringify(json)).toBe(200)
    if (answer) expect(json).toMatchObject(JSON.parse(filled(JSON.stringify(answer))))
  })
})
