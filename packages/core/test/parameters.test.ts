import { OPERATIONS, type Operation } from '@collab-etl/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Client, isParameterError } from '../src/index.ts'
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

test('a request is made exactly where no parameter is missing or none', async () => {
  const server = await serve((response, { method }) => json(response, method === 'GET' ? [] : {}))
  const client = clientOf(server, { retries: 0 })
  const value = fc.constantFrom('given', 'left out', undefined, null)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<Operation>(...OPERATIONS),
      fc.array(value, { minLength: 8, maxLength: 8 }),
      async (op, how) => {
        const all = Object.entries(wholeParams(op)).map(([name, whole], index) => [name, whole, how[index]] as const)
        const params = Object.fromEntries(
          all.filter(([, , as]) => as !== 'left out').map(([name, whole, as]) => [name, as === 'given' ? whole : as]),
        )
        const isWhole = all.every(([name, , as]) => as === 'given' || (as === 'left out' && !op.params[name]?.required))
        const before = server.seen.length
        // the answer has no record in it: only whether a request was made counts
        const error = await call(client, op.id, params).catch((thrown: unknown) => thrown)
        expect(server.seen.length - before).toBe(isWhole ? 1 : 0)
        expect(isParameterError(error)).toBe(!isWhole)
      },
    ),
    { numRuns: 300 },
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
