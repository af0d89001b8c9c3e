import { describe, expect, test } from 'vitest'
import { clientOf, json, rejection, serve } from './helpers/server.ts'

const page = (id: string, pid: string | null) => {
  return { page_id: id, parent_id: '', pid, name: '', summary: '', content: '', watchers: [], owner: null }
}
const event = (id: string, pid: string) => {
  return { event_id: id, start: '2025-01-01T00:00:00.000Z', project: { pid }, attendees: [] }
}

describe('an answer to another request', () => {
  test('a list of which all records are of another project is asked for again', async () => {
    const server = await serve((response, _, nth) => json(response, [page('g1', nth === 1 ? 'other' : 'p')]))
    const client = clientOf(server)
    expect(await client.pages.list({ pid: 'p' })).toMatchObject([{ page_id: 'g1', pid: 'p' }])
    expect(client.stats.retries).toBe(1)
  })

  test('one that stays another is an error; what it holds is not told', async () => {
    const server = await serve((response) => json(response, [page('g1', 'other'), page('g2', null)]))
    const error = await rejection(clientOf(server, { retries: 1 }).pages.list({ pid: 'p' }))
    expect(error).toMatchObject({ errorCode: 'MISDIRECTED' })
    expect(String(error)).not.toContain('g1')
    expect(server.seen).toHaveLength(2)
  })

  test('events name their project in what they show of it', async () => {
    const server = await serve((response) => json(response, [event('v1', 'other')]))
    const range = { start: 1_700_000_000_000, end: 1_800_000_000_000 }
    const client = clientOf(server, { retries: 0 })
    expect(await rejection(client.events.list({ pid: 'p', ...range }))).toMatchObject({ errorCode: 'MISDIRECTED' })
    expect(await client.events.list({ pid: 'other', ...range })).toHaveLength(1)
  })

  test('a project that is another is asked for again', async () => {
    const server = await serve((response, _, nth) => json(response, { pid: nth === 1 ? 'other' : 'p', labels: [] }))
    const client = clientOf(server)
    expect(await client.projects.get({ pid: 'p' })).toMatchObject({ pid: 'p' })
    expect(client.stats.retries).toBe(1)
  })
})

describe('no answer to another request', () => {
  test.each([
    ['some records of another project', [page('g1', 'other'), page('g2', 'p')]],
    ['records that name none', [page('g1', null), page('g2', '')]],
    ['no records', []],
  ])('%s', async (_, pages) => {
    const server = await serve((response) => json(response, pages))
    expect(await clientOf(server, { retries: 0 }).pages.list({ pid: 'p' })).toHaveLength(pages.length)
  })

  test('what was asked of no project', async () => {
    const server = await serve((response) => json(response, [{ wid: 'w', pid: 'p', actions: [] }]))
    expect(await clientOf(server, { retries: 0 }).webhooks.list()).toHaveLength(1)
  })

  test('a post of another project: its own id tells it', async () => {
    const server = await serve((response) => json(response, { post_id: 'n', pid: 'other', watchers: [] }))
    expect(await clientOf(server, { retries: 0 }).posts.get({ pid: 'p', post_id: 'n' })).toMatchObject({ post_id: 'n' })
  })
})
