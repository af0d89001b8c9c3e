import type { RecordKind, RecordKinds } from '@collab-etl/contract/streams'
import { describe, expect, test } from 'vitest'
import { rowObjects, rowsOf } from '../src/records/rows-of.ts'
import { ScopeMemory } from '../src/records/scope-memory.ts'
import { comment, event, file, page, project, task, user, webhook } from './support/records.ts'
import { batch } from './support/snapshot.ts'

/** The rows that one record becomes, by table, and the losses without their keys. */
function convert<K extends RecordKind>(kind: K, record: RecordKinds[K], pid: string | null = 'p1') {
  const { tables, losses } = rowsOf({ pid, stream: 'tasks' }, batch(kind, [record]))
  const rows = Object.fromEntries(tables.map((each) => [each.table.name, rowObjects(each)]))
  const lost = losses.map(({ field, kind: loss, original }) => [field, loss, original])
  return { rows, lost, first: (table: string) => rows[table]?.[0] }
}

describe('rowsOf', () => {
  test('characters that cannot be stored are replaced, in keys too, and listed', () => {
    const { first, lost } = convert('task', task('t\0', { name: 'a\ud800b', labels: [{ name: 'r\0', desc: null }] }))
    expect(first('tasks')).toMatchObject({ tid: 't\uFFFD', name: 'a\uFFFDb' })
    expect(first('task_labels')).toMatchObject({ tid: 't\uFFFD', name: 'r\uFFFD' })
    expect(lost).toEqual([
      ['tid', 'nul_character', '"t\\u0000"'],
      ['name', 'lone_surrogate', '"a\\ud800b"'],
      ['labels[0].name', 'nul_character', '"r\\u0000"'],
    ])
  })

  test('labels that cleaning makes alike: the first is kept, the other a loss', () => {
    const labels = [
      { name: 'r\0', desc: '1' },
      { name: 'r\uFFFD', desc: '2' },
    ]
    const { rows, lost } = convert('task', task('t1', { labels }))
    expect(rows['task_labels']).toMatchObject([{ description: '1' }])
    expect(lost).toContainEqual(['labels[1]', 'duplicate', JSON.stringify(labels[1])])
  })

  test('no due date: the epoch, or nothing; no id: the empty text', () => {
    for (const none of ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000000Z', '']) {
      const { first, lost } = convert(
        'task',
        task('t1', { expire_date: none, completed_date: none, entry_id: '', entry_name: '' }),
      )
      expect(first('tasks')).toMatchObject({ due_at: null, completed_at: null, entry_id: null })
      expect(lost).toEqual([])
    }
    expect(convert('page', page('g1', { parent_id: '' })).first('pages')).toMatchObject({ parent_id: null })
    expect(convert('file', file('f1', { folder_id: '', size: '' })).first('files')).toMatchObject({
      folder_id: null,
      size_bytes: null,
    })
  })

  test('the instant of the epoch in another zone is no due date, and listed as converted', () => {
    const none = '1970-01-01T08:00:00.000000+08:00'
    const { first, lost } = convert('task', task('t1', { expire_date: none, completed_date: none }))
    expect(first('tasks')).toMatchObject({ due_at: null, completed_at: null, extra: null })
    expect(lost.toSorted()).toEqual([
      ['completed_date', 'coerced', JSON.stringify(none)],
      ['expire_date', 'coerced', JSON.stringify(none)],
    ])
  })

  test('a seventh digit of a second is listed; due dates differ by microseconds', () => {
    const [time, other] = ['2024-01-02T03:04:05.1234567Z', '2024-01-02T03:04:05.123457Z']
    const badges = { ...task('t1').badges, expire_date: other } as RecordKinds['task']['badges']
    const { first, lost } = convert('task', task('t1', { expire_date: time, badges }))
    expect(first('tasks')).toMatchObject({
      due_at: '2024-01-02T03:04:05.123456Z',
      extra: { badges: { expire_date: other } },
    })
    expect(lost).toEqual([['expire_date', 'coerced', JSON.stringify(time)]])
  })

  test('invalid times and numbers out of range are null and listed', () => {
    const { first, lost } = convert(
      'task',
      task('t1', {
        created_at: 'soon',
        pos: Number.POSITIVE_INFINITY,
        badges: { expire_date: null, comment_count: 3e9, todo_checked_count: 1, todo_count: null, file_count: 1.5 },
      }),
    )
    expect(first('tasks')).toMatchObject({
      created_at: null,
      position: null,
      comment_count: null,
      todo_checked_count: 1,
    })
    expect(lost).toEqual([
      ['pos', 'out_of_range', 'Infinity'],
      ['created_at', 'invalid_timestamp', '"soon"'],
      ['badges.comment_count', 'out_of_range', '3000000000'],
      ['badges.file_count', 'out_of_range', '1.5'],
    ])
  })

  test.each([
    ['9223372036854775807', '9223372036854775807', []],
    ['+12', '12', []],
    ['-5', '-5', []],
    ['9223372036854775808', null, [['size', 'out_of_range', '"9223372036854775808"']]],
    ['12 KB', null, [['size', 'unreadable', '"12 KB"']]],
    ['1e3', null, [['size', 'unreadable', '"1e3"']]],
  ])('a size of %j is %j', (size, bytes, losses) => {
    const { first, lost } = convert('file', file('f1', { size }))
    expect(first('files')).toMatchObject({ size_bytes: bytes, extra: bytes === null ? { size } : null })
    expect(lost).toEqual(losses)
  })

  test('kinds of files come as numbers or as texts', () => {
    expect(convert('file', file('f1', { type: '1' })).first('files')).toMatchObject({ type: 1 })
    expect(convert('file', file('f1', { type: null })).first('files')).toMatchObject({ type: null })
  })

  test('a project or due date that is another than the record says is kept', () => {
    const due = '2024-05-06T00:00:00.000Z'
    const same = convert(
      'task',
      task('t1', { expire_date: due, badges: { ...noBadges, expire_date: '2024-05-06T00:00:00Z' } }),
    )
    expect(same.first('tasks')).toMatchObject({ due_at: due, extra: null })
    const other = convert(
      'task',
      task('t1', {
        pid: 'p9',
        project: { pid: 'p8', name: null, pic: null, bg: null },
        badges: { ...noBadges, expire_date: due },
      }),
    )
    expect(other.first('tasks')).toMatchObject({
      pid: 'p1',
      extra: { pid: 'p9', project: { pid: 'p8' }, badges: { expire_date: due } },
    })
    expect(convert('task', task('t1', { entry_id: '', entry_name: 'loose' })).first('tasks')).toMatchObject({
      extra: { entry_name: 'loose' },
    })
  })

  test('extra has cleaned names and texts, keeps __proto__, and drops values nested too deep', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}1${']'.repeat(5000)}`)
    const extra = JSON.parse(
      '{"__proto__": {"a": 1}, "k\\u0000": "v\\ud800", "k\\ufffd": 2, "list": [{"x": "\\u0000"}]}',
    )
    const { first, lost } = convert(
      'webhook',
      webhook('w1', { extra: { ...extra, deep, huge: Number.POSITIVE_INFINITY } }),
    )
    const stored = first('webhooks')?.['extra']
    const shallow = JSON.parse(JSON.stringify(stored).replace(/\[{100,}.*\]{100,}/, '"cut"'))
    expect(shallow).toEqual(
      JSON.parse(
        '{"__proto__": {"a": 1}, "k\\ufffd\\ufffd": "v\\ufffd", "k\\ufffd": 2, "list": [{"x": "\\ufffd"}], "deep": "cut", "huge": null}',
      ),
    )
    expect(lost.map(([, kind]) => kind).toSorted()).toEqual(
      ['lone_surrogate', 'nul_character', 'nul_character', 'out_of_range', 'unreadable'].toSorted(),
    )
  })

  test('a user without an id is null; in a list, that is a conversion issue', () => {
    const { rows, lost } = convert('page', page('g1', { owner: user(''), watchers: [user(''), user('u1')] }))
    expect(rows['pages']).toMatchObject([{ owner_uid: null }])
    expect(rows['page_watchers']).toMatchObject([{ uid: 'u1' }])
    expect(lost).toMatchObject([['watchers[0]', 'unkeyed', expect.stringContaining('"uid":""')]])
  })

  test('users and task groups are written once within a scope, and again when they differ', () => {
    const memory = new ScopeMemory()
    const counts = [
      task('t1', { members: [user('u1')], watchers: [user('u1'), user('u2')] }),
      task('t2', { members: [user('u2'), user('u1')] }),
      task('t3', { members: [user('u1', { online: 2 }), user('u1')], entry_name: 'Renamed' }),
      task('t4', { members: [user('u1')], entry_name: null }),
    ].map((record) => {
      const { tables } = rowsOf({ pid: 'p1', stream: 'tasks' }, batch('task', [record]), memory)
      return ['users', 'entries'].map((name) => tables.find(({ table }) => table.name === name)?.rows.length ?? 0)
    })
    expect(counts).toEqual([
      [2, 1],
      [0, 0],
      [1, 1],
      [0, 0],
    ])
  })

  test('files of a comment: those with a description, and those that are only named', () => {
    const described = { fid: 'f1', name: 'a', desc: '', pid: 'p2', size: '1', path: '/', folder_id: 'f0' }
    const record = { post_id: 's1', comment: comment('c1', { files: [described], fids: ['f1', 'f2', 'f2', ''] }) }
    const { rows, lost } = convert('post_comment', record)
    expect(rows['comment_files']).toMatchObject([
      { parent_kind: 'post', parent_id: 's1', cid: 'c1', fid: 'f1', name: 'a', folder_id: 'f0', extra: { pid: 'p2' } },
      { cid: 'c1', fid: 'f2', name: null, extra: null },
    ])
    expect(lost).toEqual([['fids[3]', 'unkeyed', '""']])
  })

  test('an event without a valid start is not stored but listed as a loss', () => {
    const { rows, lost } = convert('event', event('v1', 'soon', { attendees: [user('u1')] }))
    expect(rows).toEqual({})
    expect(lost.map(([field, kind]) => [field, kind])).toEqual([
      ['start', 'invalid_timestamp'],
      ['', 'unkeyed'],
    ])
    expect(JSON.parse(String(lost[1]?.[2]))).toMatchObject({ event_id: 'v1', start: 'soon' })
  })

  test('the detail of a project counts; different values of the list are kept in extra', () => {
    const { first } = convert(
      'project',
      project('p1', { name: 'New', extra: { a: 1, b: 2 } }, { name: 'Old', extra: { b: 3, c: 4 } }),
    )
    expect(first('projects')).toMatchObject({
      name: 'New',
      is_starred: false,
      position: 1.5,
      created_by_uid: 'u1',
      extra: { a: 1, b: 2, c: 4, listed: { name: 'Old', b: 3 } },
    })
    expect(convert('project', project('p1', {}, null)).first('projects')).toMatchObject({
      name: 'Project',
      is_starred: null,
      extra: null,
    })
    expect(convert('project', project('p1', { name: null })).first('projects')).toMatchObject({
      name: 'Project',
      extra: null,
    })
  })

  test('webhooks are of the list they were read from, and keep another project that they name', () => {
    expect(convert('webhook', webhook('w1', { pid: '' }), null).first('webhooks')).toMatchObject({ pid: null })
    expect(convert('webhook', webhook('w1', { pid: 'p7' }), null).first('webhooks')).toMatchObject({
      pid: null,
      extra: { pid: 'p7' },
    })
    expect(convert('webhook', webhook('w1', { pid: 'p7' })).first('webhooks')).toMatchObject({
      pid: 'p1',
      extra: { pid: 'p7' },
    })
  })
})

const noBadges = {
  expire_date: null,
  comment_count: null,
  todo_checked_count: null,
  todo_count: null,
  file_count: null,
}
