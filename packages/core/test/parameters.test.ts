import { OPERATIONS, type Operation } from '@collab-etl/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressed } from '../src/http/request.ts'
import { type Client, isParameterError } from '../src/index.ts'
import { buildRequest } from '../src/operations/build-request.ts'
import { clientOf, json, rejection, serve } from './helpers/server.ts'

type Params = Readonly<Record<string, unknown>>

const EXAMPLES: Params = {
  page: 1,
  size: 10,
  start: 1_600_000_000_000,
  end: 1_700_000_000_000,
  type: 'all',
  fids: ['f'],
}

/** Parameters with which the operation can be called, all of them. */
function wholeParams(operation: Operation): Params {
  return Object.fromEntries(Object.keys(operation.params).map((name) => [name, EXAMPLES[name] ?? `${name}-1`]))
}

/** Calls a method by its dotted id, without the types that would refuse such parameters. */
function call(client: Client, id: string, params: Params): Promise<unknown> {
  // the tree of methods has a branch for each part of the id
  const method = id.split('.').reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], client)
  return (method as (params: Params) => Promise<unknown>)(params)
}

const of = (operation: Operation, where: (parameter: Operation['params'][string]) => boolean) =>
  Object.entries(operation.params)
    .filter(([, parameter]) => where(parameter))
    .map(([name]) => name)

/** Ways to pass a parameter that was meant to be given and was not. */
const MEANT = OPERATIONS.flatMap((operation) => [
  ...of(operation, () => true).flatMap((name) => [
    { operation, name, change: 'undefined', to: { [name]: undefined } },
    { operation, name, change: 'null', to: { [name]: null } },
  ]),
  ...of(operation, ({ in: where }) => where !== 'body').map((name) => {
    return { operation, name, change: 'empty', to: { [name]: '' } }
  }),
])

test('an undefined, null or empty parameter is an error before any request', async () => {
  const server = await serve((response) => json(response, []))
  const client = clientOf(server)
  for (const { operation, name, to } of MEANT) {
    const error = await rejection(call(client, operation.id, { ...wholeParams(operation), ...to }))
    expect(isParameterError(error)).toBe(true)
    expect(error).toMatchObject({ name: 'ParameterError', operation: operation.id, parameter: name })
  }
  for (const operation of OPERATIONS) {
    for (const name of of(operation, ({ required }) => required)) {
      const { [name]: _, ...others } = wholeParams(operation)
      expect(await rejection(call(client, operation.id, others))).toMatchObject({ parameter: name })
    }
  }
  expect(server.seen).toEqual([])
  expect(MEANT.length).toBeGreaterThan(OPERATIONS.length * 2)
})

test.for([
  ['a parameter is unknown', 'tasks.list', { pid: 'p', projectId: 'p' }],
  ['a required parameter is inherited', 'tasks.list', Object.create({ pid: 'p' })],
  ['an id is a step up', 'posts.get', { post_id: '..', pid: 'p' }],
  ['an id is a step nowhere', 'posts.get', { post_id: '.', pid: 'p' }],
  ['an id is an object', 'posts.get', { post_id: { id: 1 }, pid: 'p' }],
  ['an id with a lone surrogate', 'posts.get', { post_id: '\ud800', pid: 'p' }],
  ['a number is none', 'events.list', { pid: 'p', start: Number.NaN, end: 1 }],
] as const)('%s: an error before any request', async ([, id, params]) => {
  const client = clientOf('http://127.0.0.1:9')
  expect(isParameterError(await rejection(call(client, id, params)))).toBe(true)
  expect(client.stats.requests).toBe(0)
})

test('any id is one segment of the path, and comes back as it was', () => {
  const operation = OPERATIONS.find(({ id }) => id === 'posts.get')
  if (operation === undefined) throw new Error('there is no operation posts.get')
  const id = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text !== '.' && text !== '..')
  fc.assert(
    fc.property(id, (post_id) => {
      const request = buildRequest(operation, { post_id, pid: 'p' }, 'json')
      const { path } = addressed(request, { prefix: '', token: 'secret-token', tokenIn: 'header' })
      const segments = new URL(path, 'http://service.example').pathname.split('/')
      expect(segments).toHaveLength(4)
      expect(decodeURIComponent(segments[3] ?? '')).toBe(post_id)
      expect(path).toMatch(/^[\x21-\x7e]+$/)
    }),
  )
})

test('a webhook whose project is undefined is not deleted as a personal one', async () => {
  const server = await serve((response) => json(response, { success: true }))
  const client = clientOf(server)
  const error = await rejection(call(client, 'webhooks.delete', { wid: 'w', pid: undefined }))
  expect(String(error)).toBe(
    'ParameterError: webhooks.delete: parameter pid is undefined: leave it out, or give it a value',
  )
  expect(server.seen).toEqual([])
  expect(await client.webhooks.delete({ wid: 'w' })).toEqual({ success: true })
  expect(server.seen[0]?.url).toBe('/v1/webhooks/w')
})
