import { OPERATIONS } from '@collab-etl/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressed } from '../src/http/request.ts'
import { ParameterError } from '../src/index.ts'
import { type AnyParams, buildRequest } from '../src/operations/build-request.ts'

function build(id: string, params: AnyParams, encoding: 'json' | 'form' = 'json') {
  const operation = OPERATIONS.find((candidate) => candidate.id === id)
  if (operation === undefined) throw new Error(`no operation ${id}`)
  return buildRequest(operation, params, encoding)
}

const nowhere = { prefix: '', token: 'secret-token', tokenIn: 'header' } as const

describe('where parameters travel', () => {
  test('ids in the path, the rest in the query', () => {
    expect(build('tasks.members.delete', { tid: 't', member_id: 'm', pid: 'p' })).toEqual({
      method: 'DELETE',
      path: '/v1/tasks/t/members/m',
      query: [['pid', 'p']],
      body: undefined,
    })
  })

  test('numbers as their digits', () => {
    expect(build('events.list', { pid: 'p', start: 1_000_000_000_000, end: 9_999_999_999_999 }).query).toEqual([
      ['pid', 'p'],
      ['start', '1000000000000'],
      ['end', '9999999999999'],
    ])
  })

  test('body fields as JSON, pid in the query', () => {
    const { path, query, body } = build('tasks.comments.create', {
      tid: 't',
      pid: 'p',
      message: 'a "b"',
      fids: ['1', '2'],
    })
    expect(path).toBe('/v1/tasks/t/comment')
    expect(query).toEqual([['pid', 'p']])
    expect(body).toEqual({ contentType: 'application/json', text: '{"message":"a \\"b\\"","fids":["1","2"]}' })
  })

  test('body fields as a form: a list is its name repeated', () => {
    const { body } = build(
      'tasks.comments.create',
      { tid: 't', pid: 'p', message: 'a&b=c 中', fids: ['1', '2'] },
      'form',
    )
    expect(body).toEqual({
      contentType: 'application/x-www-form-urlencoded',
      text: 'message=a%26b%3Dc+%E4%B8%AD&fids=1&fids=2',
    })
  })

  test('optional parameters that are not given are not sent', () => {
    expect(build('webhooks.list', {}).query).toEqual([])
    expect(build('posts.create', { pid: 'p', name: 'n' }).body?.text).toBe('{"name":"n"}')
  })

  test('empty texts are sent in a body: the service has error codes of its own for them', () => {
    expect(build('posts.create', { pid: 'p', name: '' }).body?.text).toBe('{"name":""}')
  })
})

describe('a ParameterError before any request', () => {
  test.for([
    ['a required parameter is missing', 'tasks.list', {}],
    ['a required parameter is null', 'tasks.list', { pid: null }],
    ['a required parameter is inherited', 'tasks.list', Object.create({ pid: 'p' })],
    ['a parameter is unknown', 'tasks.list', { pid: 'p', projectId: 'p' }],
    ['an id is a step up', 'posts.get', { post_id: '..', pid: 'p' }],
    ['an id is a step nowhere', 'posts.get', { post_id: '.', pid: 'p' }],
    ['what is to be deleted has no id', 'webhooks.delete', { wid: '' }],
    ['an id is an object', 'posts.get', { post_id: { id: 1 }, pid: 'p' }],
    ['a number is none', 'events.list', { pid: 'p', start: Number.NaN, end: 1 }],
    ['an id with a lone surrogate', 'posts.get', { post_id: '\ud800', pid: 'p' }],
  ] as const)('%s', ([, id, params]) => {
    expect(() => build(id, params)).toThrow(ParameterError)
    expect(new ParameterError('a', 'b', 'c')).toBeInstanceOf(TypeError)
  })
})

test('any id is one segment of the path, and comes back as it was', () => {
  const id = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text !== '.' && text !== '..')
  fc.assert(
    fc.property(id, (post_id) => {
      const { path } = addressed(build('posts.get', { post_id, pid: 'p' }), nowhere)
      const url = new URL(path, 'http://service.example')
      const segments = url.pathname.split('/')
      expect(segments).toHaveLength(4)
      expect(decodeURIComponent(segments[3] ?? '')).toBe(post_id)
      expect(path).toMatch(/^[\x21-\x7e]+$/)
    }),
  )
})

test('a request says who asks, and what it takes', () => {
  expect(addressed(build('projects.list', {}), nowhere).headers).toEqual({
    accept: 'application/json',
    'accept-encoding': 'gzip, br',
    'user-agent': 'collab-etl',
    access_token: 'secret-token',
  })
})

test('the token travels in the header, or in the query', () => {
  const request = build('projects.list', {})
  expect(addressed(request, nowhere)).toMatchObject({ path: '/v1/projects', headers: { access_token: 'secret-token' } })
  const inQuery = addressed(request, { prefix: '/gate', token: 'a&b', tokenIn: 'query' })
  expect(inQuery.path).toBe('/gate/v1/projects?access_token=a%26b')
  expect(inQuery.headers).not.toHaveProperty('access_token')
})
