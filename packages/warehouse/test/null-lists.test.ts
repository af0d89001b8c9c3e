import type { ConversionIssue } from '@collab-etl/contract/streams'
import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { everything, RANGE, START } from './support/everything.ts'
import { comment, event, post, task } from './support/records.ts'
import { batch, compared, live, liveColumn, NO_LIMITS, type Streams, snapshot } from './support/snapshot.ts'

const NULL_LIST: ConversionIssue = { recordKey: '', field: '', kind: 'null_list', original: 'null' }

/** Streams that answer with `null` in place of their lists. */
const nothing: Streams = {
  tasks: { batches: [batch('task', [], [NULL_LIST])] },
  archived_tasks: { batches: [batch('archived_task', [], [NULL_LIST])] },
  pages: { batches: [batch('page', [], [NULL_LIST])] },
  events: { batches: [batch('event', [], [NULL_LIST])], range: RANGE },
  webhooks: { batches: [batch('webhook', [], [NULL_LIST])] },
}

async function rowsOf(warehouse: Warehouse): Promise<unknown[]> {
  const tables = ['tasks', 'task_members', 'pages', 'page_watchers', 'events', 'event_attendees', 'webhooks'] as const
  return await Promise.all(tables.map((table) => live(warehouse, table)))
}

onBackendsInTurn('null in place of a list', (backend) => {
  test('deletes nothing, and the scopes of stored rows are partial', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    const before = await rowsOf(warehouse)
    const { scopes, losses } = await snapshot(warehouse, nothing, { limits: NO_LIMITS })
    expect(scopes.map(({ status, error }) => [status, error?.code])).toEqual(
      Array.from({ length: 5 }, () => ['partial', 'NULL_LIST']),
    )
    expect(losses).toBe(5)
    expect(await rowsOf(warehouse)).toEqual(before)
  })

  test('is an empty list where nothing is stored', async () => {
    const warehouse = await backend.warehouse()
    const { scopes } = await snapshot(warehouse, nothing)
    expect(scopes.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'complete'))
  })

  test('leaves a scope complete where all stored rows were seen in its other parts', async () => {
    const warehouse = await backend.warehouse()
    const events = (...losses: ConversionIssue[]): Streams => {
      return { events: { batches: [batch('event', [event('v1', START)], losses)], range: RANGE } }
    }
    await snapshot(warehouse, events())
    const { scopes } = await snapshot(warehouse, events(NULL_LIST))
    expect(scopes).toMatchObject([{ status: 'complete', rowsDeleted: 0 }])
  })

  test('for the comments of a post keeps those that are stored', async () => {
    const warehouse = await backend.warehouse()
    const posts = (comments: string[], ...losses: ConversionIssue[]): Streams => ({
      posts: {
        batches: [
          batch('post', [post('s1'), post('s2')]),
          batch(
            'post_comment',
            comments.map((cid) => ({ post_id: cid.slice(0, 2), comment: comment(cid) })),
            losses,
          ),
        ],
      },
    })
    await snapshot(warehouse, posts(['s1-c1', 's2-c1']))
    const lost = { recordKey: 's1', field: 'comments', kind: 'null_list', original: 'null' } as const
    await snapshot(warehouse, posts([], lost))
    expect(await liveColumn(warehouse, 'post_comments', 'cid')).toEqual(['s1-c1'])
  })

  test('proves no difference to a comparison, which is partial', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, {
      tasks: { batches: [batch('task', [task('t1')])] },
      archived_tasks: { batches: [batch('archived_task', [])] },
    })
    const scopes = await compared(warehouse, {
      tasks: { batches: [batch('task', [], [NULL_LIST])] },
      archived_tasks: { batches: [batch('archived_task', [])] },
    })
    expect(scopes).toMatchObject([
      { status: 'partial', error: { code: 'NULL_LIST' }, counts: { extra: 0 }, differences: [] },
      { status: 'complete' },
    ])
  })
})
