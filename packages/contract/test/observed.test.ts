import Type from 'typebox'
import { expect, test } from 'vitest'
import { ALL_OPERATIONS, isObserved, OBSERVED_OPERATIONS, OBSERVED_READINGS, OFFERS, OPERATIONS } from '../src/index.ts'

// Written by hand from what public clients of the service send: clients, method, path, parameters by place, answer; [] marks an array.
const TABLE: readonly (readonly [number, string, string, string, string])[] = [
  [10, 'GET', '/v1/user/profile', '', 'Profile'],
  [5, 'GET', '/v1/teams', '', 'Team[]'],
  [5, 'GET', '/v1/teams/:team_id', 'team_id', 'Team'],
  [4, 'GET', '/v1/teams/:team_id/members', 'team_id', 'Member[]'],
  [5, 'GET', '/v1/teams/:team_id/projects', 'team_id', 'TeamProject[]'],
  [7, 'GET', '/v1/projects/:pid/members', 'pid', 'Member[]'],
  [8, 'GET', '/v1/entries', 'query.pid', 'Entry[]'],
  [4, 'GET', '/v1/tasks/:tid', 'tid query.pid', 'Task'],
  [3, 'GET', '/v1/tasks/:tid/comments', 'tid query.pid', 'Comment[]'],
  [2, 'GET', '/v1/posts', 'query.pid', 'Post[]'],
  [1, 'GET', '/v1/files', 'query.pid query.folder_id?', 'File[]'],
  [1, 'GET', '/v1/pages/:page_id', 'page_id query.pid', 'Page'],
  [1, 'GET', '/v1/events/:event_id', 'event_id query.pid', 'Event'],
  [4, 'POST', '/v1/entry', 'query.pid body.name', 'Entry'],
  [2, 'POST', '/v1/posts/:post_id/comment', 'post_id query.pid body.message body.fids?', 'NewComment'],
  [4, 'PUT', '/v1/tasks/:tid/complete', 'tid query.pid', 'Success'],
  [4, 'PUT', '/v1/tasks/:tid/uncomplete', 'tid query.pid', 'Success'],
  [2, 'PUT', '/v1/tasks/:tid/expire', 'tid query.pid body.expire', 'Success'],
  [1, 'PUT', '/v1/tasks/:tid/labels', 'tid query.pid body.label', 'Success'],
  [3, 'POST', '/v1/tasks/:tid/member', 'tid query.pid body.uid', 'Success'],
  [4, 'POST', '/v1/tasks/:tid/todo', 'tid query.pid body.name', 'Todo'],
  [4, 'PUT', '/v1/tasks/:tid/todos/:todo_id/checked', 'tid todo_id query.pid', 'Success'],
  [4, 'PUT', '/v1/tasks/:tid/todos/:todo_id/unchecked', 'tid todo_id query.pid', 'Success'],
  [3, 'PUT', '/v1/tasks/:tid/archive', 'tid query.pid', 'Success'],
  [2, 'PUT', '/v1/tasks/:tid/unarchive', 'tid query.pid body.entry_id', 'Success'],
  [
    ...([1, 'POST', '/v1/event'] as const),
    'query.pid body.name body.location? body.start_date body.start_time body.end_date body.end_time',
    'Event',
  ],
]

const USER = 'uid name display_name avatar desc status online'

// `?` marks a field that may be absent.
const FIELDS: Readonly<Record<string, string>> = {
  Profile: `${USER} email?`,
  Member: `${USER} email? role join_date?`,
  Entry: 'entry_id pid? name created_at updated_at watched? pos?',
  Team: 'team_id name url? desc? pic? visibility? created_at? created_by? create_by?',
  TeamProject: 'pid name desc? archived? pic? bg? visibility?',
}

const answerOf = ({ success }: (typeof OBSERVED_OPERATIONS)[number]) =>
  success.kind === 'array' ? success.item : success.schema

test('observed operations have the path, parameters and answer that clients use', () => {
  const defined = OBSERVED_OPERATIONS.map((operation) => {
    const { clients, method, path, params, success } = operation
    const names = Object.entries(params).map(([name, { in: place, required }]) => {
      return `${place === 'path' ? '' : `${place}.`}${name}${required ? '' : '?'}`
    })
    return [clients, method, path, names.sort(), `${answerOf(operation).title}${success.kind === 'array' ? '[]' : ''}`]
  })
  const written = TABLE.map(([clients, method, path, params, answer]) => {
    return [clients, method, path, params.split(' ').filter(Boolean).sort(), answer]
  })
  expect(defined).toEqual(written)
})

test('the path of an observed operation names its path parameters', () => {
  for (const { path, params } of OBSERVED_OPERATIONS) {
    const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
    const sent = Object.entries(params).flatMap(([name, { in: place }]) => (place === 'path' ? [name] : []))
    expect(sent.sort()).toEqual(named.sort())
  }
})

test('the resources that only observed operations use have exactly the fields that clients read', () => {
  const documented = new Set<unknown>(
    OPERATIONS.map(({ success }) => (success.kind === 'array' ? success.item : success.schema)),
  )
  const own = OBSERVED_OPERATIONS.map(answerOf).filter(
    (resource) => !documented.has(resource) && resource.title !== 'Todo',
  )
  const defined = own.map(({ title, properties }) => {
    const fields = Object.entries(properties).map(([name, field]) => (Type.IsOptional(field) ? `${name}?` : name))
    return [title, fields.sort()] as const
  })
  const written = Object.entries(FIELDS).map(([title, fields]) => [title, fields.split(' ').sort()] as const)
  expect(Object.fromEntries(defined)).toEqual(Object.fromEntries(written))
})

test('readings are the observed operations with GET, and only observed operations are observed', () => {
  expect(OBSERVED_READINGS).toEqual(OBSERVED_OPERATIONS.filter(({ method }) => method === 'GET'))
  expect(ALL_OPERATIONS.filter(({ id }) => isObserved(id))).toEqual(OBSERVED_OPERATIONS)
  expect(new Set(OBSERVED_READINGS.map(({ offer }) => offer))).toEqual(new Set(OFFERS))
})

test('ids of all operations are unique, and no two share a method and a path', () => {
  expect(new Set(ALL_OPERATIONS.map(({ id }) => id)).size).toBe(ALL_OPERATIONS.length)
  expect(new Set(ALL_OPERATIONS.map(({ method, path }) => `${method} ${path}`)).size).toBe(ALL_OPERATIONS.length)
})
