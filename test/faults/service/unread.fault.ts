import type { ScopedRow } from '@collab-etl/harness/expected-rows'
import { describeThoroughly } from '@collab-etl/harness/thorough'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { expectNight, night } from './night.ts'
import { serviceError } from './rules.ts'
import { projectOf, worldTonight } from './world.ts'

fault('one post always answers 500, the comments of another 403', async (fixture) => {
  // Only a comment of the first post refers to post 50.
  const [, first, second] = projectOf(worldTonight(), 'P1').posts.map(({ post }) => post.post_id)
  const names = (id: string | undefined) => (params: Readonly<Record<string, unknown>>) =>
    Object.values(params).includes(id)
  const tonight = await night(fixture, {
    rules: [
      { on: 'posts.get', where: names(first), does: serviceError(900004, 500) },
      { on: 'posts.comments.list', where: names(second), does: serviceError(100007, 403) },
    ],
  })
  const isUnread = ({ pid, table, row }: ScopedRow) =>
    pid === 'P1' &&
    (row['post_id'] === first ||
      (row['parent_kind'] === 'post' && (row['parent_id'] === first || row['parent_id'] === second)) ||
      (table === 'post_comments' && row['post_id'] === second) ||
      // It was deleted since, but a partial scope marks nothing deleted.
      row['cid'] === 'P1-C1')
  expectNight(tonight, { notComplete: { 'posts P1': 'partial' }, isUnread })
  const { unread_items } = JSON.parse(tonight.ran.stdout)
  const items = unread_items.map(({ item_id }: { item_id: string }) => item_id)
  expect(items.toSorted()).toEqual([first, `${second}/comments`].toSorted())
  return fixture.named(tonight.ran, 3)
})

describeThoroughly('variations', () => {
  fault('a link to a post that always answers 500', async (fixture) => {
    const world = worldTonight()
    const [page] = projectOf(world, 'P1').pages
    if (page === undefined) throw new Error('the world has no page')
    page.content += ' [a](/posts/hello-world) https://blog.example.com/posts/other-blog'
    const where = (params: Readonly<Record<string, unknown>>) => JSON.stringify(params).includes('hello-world')
    const rules = [{ on: 'posts.get', where, does: serviceError(900004, 500) }] as const
    const tonight = await night(fixture, { rules, world, args: ['--retries', '0'] })
    expectNight(tonight, { tonight: world })
    const { unread_items } = JSON.parse(tonight.ran.stdout)
    expect(unread_items).toMatchObject([{ pid: 'P1', stream: 'posts', item_id: 'hello-world', error_code: '900004' }])
    return fixture.cured(tonight.ran)
  })

  fault('the webhooks of every project answer 403', async (fixture) => {
    const tonight = await night(fixture, { rules: [{ on: 'webhooks.list', does: serviceError(100007, 403) }] })
    const skipped = ['P1', 'P2', 'P3', '-'].map((pid) => [`webhooks ${pid}`, 'skipped'])
    expectNight(tonight, { notComplete: Object.fromEntries(skipped), status: 'partial' })
    const { not_whole } = JSON.parse(tonight.ran.stdout)
    expect(not_whole).toMatchObject(
      skipped.map(() => ({ stream: 'webhooks', error: { code: 'NOT_ALLOWED' }, access: 'lost' })),
    )
    return fixture.named(tonight.ran, 3)
  })
})
