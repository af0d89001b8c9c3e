import { describe, expect, test } from 'vitest'
import { clientOf, errorBody, json, rejection, serve } from './helpers/server.ts'

const page = (id: string, pid: string | null) => {
  return { page_id: id, parent_id: '', pid, name: '', summary: '', content: '', watchers: [], owner: null }
}
const event = (id: string, pid: string) => {
  return { event_id: id, start: '2025-01-01T00:00:00.000Z', project: { pid }, attendees: [] }
}

const CALENDAR = Array.from({ length: 20 }, (_, index) => event(`v${index}`, 'other'))

const RANGE = { start: 1_700_000_000_000, end: 1_800_000_000_000 }

const MISDIRECTED = { errorCode: 'MISDIRECTED' }

/** A service that answers with these lists, for the project `p` and for the project `other`. */
async function lists(ofP: readonly unknown[], ofOther: readonly unknown[]) {
  const server = await serve((response, { url }) => json(response, url.includes('pid=other') ? ofOther : ofP))
  return { server, client: clientOf(server, { retries: 0 }) }
}

describe('an answer to another request', () => {
  test('a list of which all records are of another project is asked for again', async () => {
    const server = await serve((response, { url }, nth) => {
      json(response, [page('g1', nth === 1 || url.includes('pid=other') ? 'other' : 'p')])
    })
    const client = clientOf(server)
    expect(await client.pages.list({ pid: 'p' })).toMatchObject([{ page_id: 'g1', pid: 'p' }])
    expect(server.seen).toHaveLength(3)
  })

  test('one that stays another is an error, which shows nothing of it', async () => {
    const server = await serve((response) => json(response, [page('g1', 'other'), page('g2', null)]))
    const error = await rejection(clientOf(server, { retries: 1 }).pages.list({ pid: 'p' }))
    expect(error).toMatchObject(MISDIRECTED)
    expect(String(error)).not.toContain('g1')
    expect(server.seen).toHaveLength(4)
  })

  test.each([
    ['one event that shows another project', CALENDAR.slice(0, 1), CALENDAR.slice(0, 1)],
    ['four', CALENDAR.slice(0, 4), CALENDAR.slice(0, 4)],
    ['an older copy of the other list, as of a cache', CALENDAR.slice(0, 6), CALENDAR.slice(1, 6)],
    ['events that the other project itself does not list there', CALENDAR, []],
  ])('%s', async (_, ofP, ofOther) => {
    const { server, client } = await lists(ofP, ofOther)
    expect(await rejection(client.events.list({ pid: 'p', ...RANGE }))).toMatchObject(MISDIRECTED)
    expect(await client.events.list({ pid: 'other', ...RANGE })).toHaveLength(ofOther.length)
    const requests = server.seen.length
    expect(await rejection(client.events.list({ pid: 'p', ...RANGE }))).toMatchObject(MISDIRECTED)
    expect(server.seen.length, 'the verdict is remembered').toBeLessThanOrEqual(requests + 2)
  })

  test('a project that is another is asked for again', async () => {
    const server = await serve((response, _, nth) => json(response, { pid: nth === 1 ? 'other' : 'p', labels: [] }))
    const client = clientOf(server)
    expect(await client.projects.get({ pid: 'p' })).toMatchObject({ pid: 'p' })
    expect(client.stats.retries).toBe(1)
  })

  test('a rate limit of the other list proves nothing', async () => {
    const server = await serve((response, { url }) => {
      if (url.includes('pid=other')) return errorBody(response, 120001, 429)
      json(response, [page('g1', 'other')])
    })
    const error = await rejection(clientOf(server, { retries: 0 }).pages.list({ pid: 'p' }))
    expect(error).toMatchObject(MISDIRECTED)
  })
})

describe('no answer to another request', () => {
  test.each([
    ['some records of another project', [page('g1', 'other'), page('g2', 'p')]],
    ['records that name none', [page('g1', null), page('g2', '')]],
    ['no records', []],
  ])('%s', async (_, pages) => {
    expect(await (await lists(pages, pages)).client.pages.list({ pid: 'p' })).toHaveLength(pages.length)
  })

  test.each([
    ['few events that show another project', [event('v1', 'other'), event('v2', 'other')], 3],
    ['events of several other projects', ['a', 'b', 'c', 'd'].map((pid) => event(`v-${pid}`, pid)), 1],
    ['a shared calendar: the other project has many more events', CALENDAR.slice(0, 5), 3],
  ])('%s', async (_, events, requests) => {
    const { server, client } = await lists(events, CALENDAR)
    expect(await client.events.list({ pid: 'p', ...RANGE })).toHaveLength(events.length)
    expect(server.seen).toHaveLength(requests)
    await client.events.list({ pid: 'p', ...RANGE })
    expect(server.seen, 'what was found is remembered').toHaveLength(requests + 1)
  })

  test('a page of another project that the other project does not list', async () => {
    const server = await serve((response, { url }) => {
      if (url.includes('pid=other')) return errorBody(response, 400004, 404)
      json(response, [page('g1', 'other')])
    })
    expect(await clientOf(server, { retries: 0 }).pages.list({ pid: 'p' })).toHaveLength(1)
  })

  test('webhooks shared by two projects, and a post whose own id names another project', async () => {
    const hooks = await lists([{ wid: 'w', pid: 'other', actions: [] }], [])
    expect(await hooks.client.webhooks.list({ pid: 'p' })).toHaveLength(1)
    expect(hooks.server.seen).toHaveLength(1)
    const posts = await serve((response) => json(response, { post_id: 'n', pid: 'other', watchers: [] }))
    expect(await clientOf(posts, { retries: 0 }).posts.get({ pid: 'p', post_id: 'n' })).toMatchObject({ post_id: 'n' })
  })
})
