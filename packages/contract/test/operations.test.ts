import { expect, test } from 'vitest'
import { COMMON_ERRORS, OPERATIONS } from '../src/index.ts'

// Written by hand from the service's documentation, not generated from the data that it checks.
const TABLE: readonly (readonly [number, string, string, string])[] = [
  [1, 'GET', '/v1/tasks', 'pid! type'],
  [2, 'GET', '/v1/tasks/archived', 'pid! page! size!'],
  [3, 'GET', '/v1/tasks/today', ''],
  [4, 'POST', '/v1/task', 'pid! name! entry_id! desc'],
  [5, 'GET', '/v1/posts/:post_id/comments', 'post_id! pid!'],
  [6, 'GET', '/v1/files/:fid/comments', 'fid! pid!'],
  [7, 'GET', '/v1/files/:fid', 'fid! pid!'],
  [8, 'POST', '/v1/tasks/:tid/comment', 'tid! pid! message! fids'],
  [9, 'POST', '/v1/page', 'pid! name! content parent_id'],
  [10, 'GET', '/v1/pages', 'pid!'],
  [11, 'GET', '/v1/posts/:post_id', 'post_id! pid!'],
  [12, 'GET', '/v1/projects/:pid', 'pid!'],
  [13, 'GET', '/v1/events/today', 'pid!'],
  [14, 'POST', '/v1/post', 'pid! name! content'],
  [15, 'GET', '/v1/projects', ''],
  [16, 'DELETE', '/v1/tasks/:tid/members/:member_id', 'tid! member_id! pid!'],
  [17, 'DELETE', '/v1/events/:event_id/comments/:cid', 'event_id! cid! pid!'],
  [18, 'DELETE', '/v1/posts/:post_id/comments/:cid', 'post_id! cid! pid!'],
  [19, 'DELETE', '/v1/tasks/:tid/labels', 'tid! pid! label!'],
  [20, 'DELETE', '/v1/entries/:entry_id', 'entry_id! pid!'],
  [21, 'DELETE', '/v1/webhooks/:wid', 'wid! pid'],
  [22, 'GET', '/v1/webhooks', 'pid'],
  [23, 'GET', '/v1/events', 'pid! start! end!'],
]

// Error rows: "METHOD path code status".
const ERRORS = `
GET /v1/tasks 600001 500
GET /v1/tasks/archived 600027 500
GET /v1/tasks/today 600001 500
POST /v1/task 600002 400
POST /v1/task 600003 500
GET /v1/posts/:post_id/comments 900005 404
GET /v1/posts/:post_id/comments 200008 500
GET /v1/files/:fid/comments 800004 404
GET /v1/files/:fid/comments 200008 500
GET /v1/files/:fid 800004 404
GET /v1/files/:fid 800003 500
POST /v1/tasks/:tid/comment 600005 404
POST /v1/tasks/:tid/comment 200007 400
POST /v1/tasks/:tid/comment 200006 500
POST /v1/page 120002 400
POST /v1/page 120003 500
GET /v1/pages 120001 500
GET /v1/posts/:post_id 900005 404
GET /v1/posts/:post_id 900004 500
GET /v1/projects/:pid 400002 400
GET /v1/projects/:pid 400003 500
GET /v1/projects/:pid 400004 404
GET /v1/events/today 700001 400
GET /v1/events/today 700012 500
POST /v1/post 900002 400
POST /v1/post 900003 500
GET /v1/projects 400001 500
DELETE /v1/tasks/:tid/members/:member_id 600005 404
DELETE /v1/tasks/:tid/members/:member_id 600013 500
DELETE /v1/events/:event_id/comments/:cid 700009 404
DELETE /v1/events/:event_id/comments/:cid 200009 500
DELETE /v1/posts/:post_id/comments/:cid 900005 404
DELETE /v1/posts/:post_id/comments/:cid 200009 500
DELETE /v1/tasks/:tid/labels 600005 404
DELETE /v1/tasks/:tid/labels 600016 404
DELETE /v1/tasks/:tid/labels 600017 500
DELETE /v1/entries/:entry_id 500006 500
GET /v1/events 700001 400
GET /v1/events 700002 500
`
  .trim()
  .split('\n')

test('the 23 operations have the documented number, method, path and parameters', () => {
  const defined = OPERATIONS.map(({ number, method, path, params }) => [
    number,
    method,
    path,
    Object.entries(params)
      .map(([name, parameter]) => (parameter.required ? `${name}!` : name))
      .sort(),
  ])
  const written = TABLE.map(([number, method, path, params]) => [
    number,
    method,
    path,
    params.split(' ').filter(Boolean).sort(),
  ])
  expect(defined.sort((a, b) => Number(a[0]) - Number(b[0]))).toEqual(written)
})

test('every parameter is sent where it is documented', () => {
  const inQuery = new Set(['pid', 'page', 'size', 'type', 'label', 'start', 'end'])
  for (const { path, params } of OPERATIONS) {
    for (const [name, parameter] of Object.entries(params)) {
      const inPath = path.split('/').includes(`:${name}`)
      expect([path, name, parameter.in]).toEqual([path, name, inPath ? 'path' : inQuery.has(name) ? 'query' : 'body'])
    }
  }
})

test('the error rows are the documented ones: operation, code, status', () => {
  const defined = OPERATIONS.flatMap(({ method, path, errors }) =>
    errors.map(({ code, status }) => `${method} ${path} ${code} ${status}`),
  )
  expect(defined.sort()).toEqual([...ERRORS].sort())
  expect(COMMON_ERRORS.map(({ code, status }) => `${code} ${status}`)).toEqual(['100005 401', '100006 400'])
})

test('ids are unique and no id is a prefix of another: each names one method of the client', () => {
  const ids = OPERATIONS.map(({ id }) => id)
  expect(new Set(ids).size).toBe(23)
  for (const id of ids) expect(ids.filter((other) => other.startsWith(`${id}.`))).toEqual([])
})
