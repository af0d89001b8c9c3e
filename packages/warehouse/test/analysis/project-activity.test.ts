import { expect, test } from 'vitest'
import { onBackendsInTurn } from '../support/backends.ts'
import { analysisData } from './data.ts'

const NOTHING = {
  tasks_created: 0,
  tasks_completed: 0,
  comments: 0,
  pages_created: 0,
  pages_updated: 0,
  posts_created: 0,
  posts_updated: 0,
  files: 0,
  events: 0,
  project_name: null,
}

onBackendsInTurn('project_activity', (backend) => {
  const given = analysisData(backend)

  const activity = () => given.data.select('SELECT * FROM SCHEMA.project_activity ORDER BY pid, day')

  test('each kind on its own day, by UTC: the last and the first millisecond of a day', async () => {
    const [late, early] = ['2024-02-01T23:59:59.999Z', '2024-02-02T00:00:00Z']
    await given.data.add('tasks', [
      { tid: 't1', completed: true, created_at: late, completed_at: early },
      { tid: 't2', completed: false, created_at: early },
    ])
    await given.data.add('post_comments', [{ post_id: 'o1', cid: 'c1', created_at: late }])
    await given.data.add('file_comments', [{ fid: 'f1', cid: 'c1', created_at: late }])
    await given.data.add('pages', [{ page_id: 'g1', created_at: late, updated_at: early }])
    await given.data.add('posts', [{ post_id: 'o1', created_at: late, updated_at: early }])
    await given.data.add('files', [
      { fid: 'f1', type: 0, created_at: early },
      { fid: 'f2', type: null, created_at: early },
      { fid: 'folder', type: 1, created_at: early },
    ])
    await given.data.add('events', [
      { event_id: 'v1', starts_at: early, recurrence: 1 },
      { pid: 'p2', event_id: 'v1', starts_at: late, recurrence: 0 },
    ])
    expect(await activity()).toEqual([
      { ...NOTHING, pid: 'p1', day: '2024-02-01', tasks_created: 1, comments: 2, pages_created: 1, posts_created: 1 },
      {
        ...NOTHING,
        pid: 'p1',
        day: '2024-02-02',
        tasks_created: 1,
        tasks_completed: 1,
        pages_updated: 1,
        posts_updated: 1,
        files: 2,
        events: 1,
      },
      { ...NOTHING, pid: 'p2', day: '2024-02-01', events: 1 },
    ])
  })

  test('events that were found cancelled or moved before they started do not count', async () => {
    const [before, start, after] = ['2024-02-01T02:00:00Z', '2024-02-02T09:00:00Z', '2024-02-03T02:00:00Z']
    await given.data.add('events', [
      { event_id: 'cancelled', starts_at: start, deleted_at: before },
      { event_id: 'moved', starts_at: start, deleted_at: before },
      { event_id: 'moved', starts_at: '2024-02-02T11:00:00Z' },
      { event_id: 'over', starts_at: start, deleted_at: after },
    ])
    expect(await activity()).toEqual([{ ...NOTHING, pid: 'p1', day: '2024-02-02', events: 2 }])
  })

  test('each day with a new version of a page counts as one update; its creation does not', async () => {
    const page = { page_id: 'g1', created_at: '2024-02-01T00:00:00Z' }
    const [v1, v2, v3] = ['2024-02-01T12:00:00Z', '2024-02-02T12:00:00Z', '2024-02-02T18:00:00Z']
    await given.data.addPast('pages', [
      { ...page, updated_at: '2024-02-01T00:00:00Z', valid_from: v1, valid_to: v2 },
      { ...page, updated_at: '2024-02-02T01:00:00Z', valid_from: v2, valid_to: v3 },
      { ...page, updated_at: '2024-02-02T13:00:00Z', valid_from: v3, valid_to: '2024-02-09T00:00:00Z' },
    ])
    await given.data.add('pages', [{ ...page, updated_at: '2024-02-05T00:00:00Z', valid_from: '2024-02-09T00:00:00Z' }])
    expect(await activity()).toEqual([
      { ...NOTHING, pid: 'p1', day: '2024-02-01', pages_created: 1 },
      { ...NOTHING, pid: 'p1', day: '2024-02-02', pages_updated: 1 },
      { ...NOTHING, pid: 'p1', day: '2024-02-05', pages_updated: 1 },
    ])
  })

  test('future times are no activity', async () => {
    const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString()
    await given.data.add('events', [
      { event_id: 'v1', starts_at: hours(-1), recurrence: 0 },
      { event_id: 'v2', starts_at: hours(1), recurrence: 0 },
      { event_id: 'v3', starts_at: hours(1000), recurrence: 1 },
    ])
    expect(await activity()).toMatchObject([{ pid: 'p1', day: hours(-1).slice(0, 10), events: 1 }])
  })

  test('a deleted project keeps its activity; records without a time do not count', async () => {
    const gone = { deleted_at: '2024-03-05T00:00:00Z' }
    await given.data.add('projects', [gone])
    await given.data.add('tasks', [
      { tid: 't1', completed: false, created_at: '2024-02-01T00:00:00Z', ...gone },
      { tid: 't2' },
    ])
    await given.data.add('pages', [{ page_id: 'g1' }])
    expect(await activity()).toEqual([{ ...NOTHING, pid: 'p1', day: '2024-02-01', tasks_created: 1 }])
  })
})
