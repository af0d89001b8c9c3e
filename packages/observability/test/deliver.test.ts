import { startReceiver } from '@collab-etl/harness/receiver'
import { describe, expect, test } from 'vitest'
import { deliver } from '../src/deliver.ts'

const QUICK = { timeoutMs: 1000, waitMs: 1 }

/** Delivers to a receiver that answers so; returns the reason and the number of requests. */
async function delivered(answer: (n: number) => number | 'never') {
  await using receiver = await startReceiver(answer)
  const reason = await deliver({ url: `${receiver.url}/secret`, method: 'POST', body: 'x' }, QUICK)
  return { reason, requests: receiver.received.length }
}

describe('a delivery', () => {
  test('that is answered well is sent once', async () => {
    expect(await delivered(() => 204)).toEqual({ reason: null, requests: 1 })
  })

  test('is sent again after a failure that may pass', async () => {
    expect(await delivered((n) => (n < 3 ? 503 : 200))).toEqual({ reason: null, requests: 3 })
    expect(await delivered((n) => (n < 2 ? 'never' : 200))).toEqual({ reason: null, requests: 2 })
  })

  test('is attempted three times at most', async () => {
    expect(await delivered(() => 500)).toEqual({ reason: 'it answered HTTP 500, 3 times', requests: 3 })
    expect(await delivered(() => 'never')).toEqual({ reason: 'it did not answer within 1 s, 3 times', requests: 3 })
  })

  test('that is refused is not sent again', async () => {
    expect(await delivered(() => 404)).toEqual({ reason: 'it answered HTTP 404', requests: 1 })
  })

  test('follows no redirect', async () => {
    const { reason, requests } = await delivered(() => 302)
    expect([requests, reason]).toEqual([1, 'it answered with a redirect (HTTP 302), which is not followed'])
  })

  test('to an address with user and password sends them as a header', async () => {
    await using receiver = await startReceiver()
    const url = receiver.url.replace('http://', 'http://ada:p%40ss@')
    expect(await deliver({ url, method: 'GET' }, QUICK)).toBeNull()
    expect(receiver.received[0]?.headers.authorization).toBe(`Basic ${Buffer.from('ada:p@ss').toString('base64')}`)
  })

  test('to a closed port fails without naming the address', async () => {
    const closed = await startReceiver()
    await closed[Symbol.asyncDispose]()
    const reason = await deliver({ url: `${closed.url}/secret`, method: 'GET' }, QUICK)
    expect(reason).toBe('it cannot be reached (ECONNREFUSED), 3 times')
  })
})
