import { expect, test } from 'vitest'
import { analysisData, type Row } from './analysis/data.ts'
import { onBackendsInTurn } from './support/backends.ts'

const ALL = { offset: 0, limit: 100 }
const GONE = '2024-03-02T00:00:00Z'

onBackendsInTurn('lookup', (backend) => {
  const context = analysisData(backend)
  const lookup = async () => await context.data.warehouse.lookup()
  const task = (tid: string, more: Row = {}) => ({
    tid,
    name: `Task ${tid}`,
    completed: false,
    archived: false,
    ...more,
  })
  const found = async (filter: Parameters<Awaited<ReturnType<typeof lookup>>['tasks']>[0]) => {
    const { items, total } = await (await lookup()).tasks(filter, ALL)
    expect(items).toHaveLength(total)
    return items.map(({ tid }) => tid)
  }

  test('tasks meet all conditions of a filter; deleted rows count nowhere', async () => {
    const { data } = context
    await data.add('projects', [{ name: 'One' }])
    await data.add(
      'users',
      [
        { uid: 'u1', name: 'ann', display_name: 'Ann Lee' },
        { uid: 'u2', name: 'Ann Lee' },
      ].map(withoutPid),
    )
    await data.add('entries', [
      { entry_id: 'e1', name: 'Doing' },
      { entry_id: 'e2', name: 'doing', deleted_at: GONE },
    ])
    await data.add('tasks', [
      task('t1', { entry_id: 'e1', due_at: '2020-01-02T00:00:00Z', updated_at: '2024-01-01T00:00:00Z' }),
      task('t2', { entry_id: 'e2', completed: true, due_at: '2020-01-01T00:00:00Z' }),
      task('t3', { archived: true, completed: true, updated_at: '2024-02-01T00:00:00Z' }),
      task('t4', { due_at: '2999-01-01T00:00:00Z' }),
      task('t5', { deleted_at: GONE }),
      task('t1', { pid: 'p2', entry_id: 'e1' }),
    ])
    await data.add('task_members', [
      { tid: 't1', uid: 'u1' },
      { tid: 't4', uid: 'u2' },
      { tid: 't3', uid: 'u1', deleted_at: GONE },
    ])
    await data.add('task_labels', [
      { tid: 't1', name: 'red', description: 'Urgent' },
      { tid: 't2', name: 'blue' },
    ])
    expect(await found({ pid: 'p1' })).toEqual(['t2', 't1', 't4', 't3'])
    expect(await found({})).toHaveLength(5)
    expect(await found({ state: 'open', pid: 'p1' })).toEqual(['t1', 't4'])
    expect(await found({ state: 'completed' })).toEqual(['t2'])
    expect(await found({ state: 'archived' })).toEqual(['t3'])
    expect(await found({ state: 'overdue' })).toEqual(['t1'])
    expect(await found({ group: 'DOING' })).toEqual(['t1'])
    expect(await found({ group: 'e1', pid: 'p2' })).toEqual([])
    expect(await found({ person: 'ann lee' })).toEqual(['t1', 't4'])
    expect(await found({ person: 'u1' })).toEqual(['t1'])
    expect(await found({ label: 'urgent' })).toEqual(['t1'])
    expect(await found({ dueFrom: new Date('2020-01-02'), dueBefore: new Date('2999-01-01') })).toEqual(['t1'])
    expect(await found({ updatedSince: new Date('2024-01-15') })).toEqual(['t3'])
    const { items, hasMore } = await (await lookup()).tasks({ pid: 'p1' }, { offset: 1, limit: 2 })
    expect([items.map(({ tid }) => tid), hasMore]).toEqual([['t1', 't4'], true])
    expect(items[0]).toMatchObject({ project_name: 'One', group: 'Doing', members: [{ uid: 'u1', name: 'Ann Lee' }] })
  })

  test('a search finds any script in any case, takes % and _ as they are, and puts titles first', async () => {
    const { data } = context
    await data.add('pages', [
      { page_id: 'g1', name: 'Plan', content: 'ÉTÉ 项目计划更新 100%', updated_at: '2024-01-01T00:00:00Z' },
      { page_id: 'g2', name: 'Été', content: `${'x'.repeat(5000)} the PLAN`, updated_at: '2024-01-02T00:00:00Z' },
      { page_id: 'g3', name: 'Gone plan', content: '项目', deleted_at: GONE },
      { page_id: 'g4', name: null, content: '', summary: 'only a summary_line' },
    ])
    await data.add('posts', [{ post_id: 's1', name: 'Post', content: null }])
    await data.add('post_comments', [{ post_id: 's1', cid: 'c1', message: '<b>计划</b>', raw_message: '' }])
    const ids = async (query: string, more = {}) => {
      const { items } = await (await lookup()).search({ query, ...more }, ALL)
      return items.map(({ id, cid }) => cid ?? id)
    }
    expect(await ids('plan')).toEqual(['g1', 'g2'])
    expect(await ids('été plan')).toEqual(['g2', 'g1'])
    expect(await ids('计划')).toEqual(['g1', 'c1'])
    expect(await ids('计划', { kinds: ['comment'] })).toEqual(['c1'])
    expect(await ids('0%')).toEqual(['g1'])
    expect(await ids('summary_line')).toEqual(['g4'])
    expect(await ids('summary%line \\')).toEqual([])
    expect(await ids('"计划更新 100"')).toEqual(['g1'])
    expect(await ids('plan', { pid: 'p2' })).toEqual([])
    const { items } = await (await lookup()).search({ query: 'plan' }, { offset: 1, limit: 1 })
    expect(items).toMatchObject([{ id: 'g2', excerpt: `${'x'.repeat(79)} the PLAN`.slice(-84) }])
    await expect(ids(' "" ')).rejects.toMatchObject({ code: 'QUERY' })
    await expect(ids('a b c d e f g h i')).rejects.toMatchObject({ code: 'QUERY' })
  })

  test('texts are read in parts, counted in characters; impossible ids find nothing', async () => {
    const { data } = context
    await data.add('pages', [
      { page_id: 'g1', name: 'A', content: '😀b漢d' },
      { page_id: 'g2', parent_id: 'g1', name: 'Child' },
    ])
    const { page, titles, documents } = await lookup()
    expect(await page('p1', 'g1', { offset: 1, limit: 2 })).toMatchObject({
      content: { text: 'b漢', offset: 1, total: 4 },
      children: { items: [{ page_id: 'g2', name: 'Child' }], hasMore: false },
      parent: null,
    })
    expect(await page('p1', 'g2', ALL)).toMatchObject({
      parent: { page_id: 'g1', name: 'A' },
      content: { text: '', total: 0 },
    })
    expect(await page('\0', `\ud800${'x'.repeat(3000)}`, ALL)).toBeNull()
    expect(
      await titles([
        { kind: 'page', pid: 'p1', id: 'g2' },
        { kind: 'post', pid: 'p1', id: '\0' },
      ]),
    ).toHaveLength(1)
    const first = await documents(null, 1)
    expect(first).toMatchObject({ items: [{ id: 'g1' }], hasMore: true })
    expect(await documents(first.items[0] ?? null, 5)).toMatchObject({ items: [{ id: 'g2' }], hasMore: false })
  })

  test('a schema of another version is refused', async () => {
    const { warehouse } = context.data
    await backend.driver.script(
      `UPDATE ${warehouse.schema}.schema_version SET version = version + 1000 WHERE version = ${warehouse.supportedVersion}`,
    )
    await expect(warehouse.lookup()).rejects.toMatchObject({ code: 'SCHEMA_NEWER' })
    await backend.driver.script(
      `UPDATE ${warehouse.schema}.schema_version SET version = version - 1000 WHERE version > 1000`,
    )
  })
})

function withoutPid(row: Row): Row {
  return { ...row, pid: undefined }
}
