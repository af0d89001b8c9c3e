import * as contract from '@collab-etl/contract'
import { parseExactJson } from '@collab-etl/contract/exact-json'
import type { ConversionIssue } from '@collab-etl/contract/streams'
import { describe, expect, test } from 'vitest'
import { isDecodeError } from '../src/index.ts'
import { readerOf } from '../src/read/reader.ts'
import { file, project, task, user } from './helpers/records.ts'

function read(resource: contract.Resource, value: unknown) {
  const losses: ConversionIssue[] = []
  const record = readerOf(resource).read(value, losses, { element: 7 })
  return { record, losses }
}

const readTask = (changes: object) => read(contract.Task, { ...task('t1'), ...changes })
const loss = (field: string, kind: ConversionIssue['kind'], original: string | null, recordKey = 't1') => {
  return { recordKey, field, kind, original }
}

test('a record that fits the contract is returned unchanged', () => {
  const value = task('t1')
  const { record, losses } = read(contract.Task, value)
  expect(record).toBe(value)
  expect(losses).toEqual([])
})

describe('unknown fields', () => {
  test('are carried as extra at the level where they stood, and are no loss', () => {
    const sent = {
      ...task('t1'),
      colour: 'red',
      members: [{ ...user('u1'), phone: '1' }],
      badges: { ...task('t1').badges, stars: 2 },
    }
    const { record, losses } = read(contract.Task, sent)
    expect(losses).toEqual([])
    expect(record).toEqual({
      ...sent,
      colour: undefined,
      extra: { colour: 'red' },
      members: [{ ...user('u1'), extra: { phone: '1' } }],
      badges: { ...task('t1').badges, extra: { stars: 2 } },
    })
  })

  test('one that is called extra as well', () => {
    expect(readTask({ extra: { a: 1 } }).record['extra']).toEqual({ extra: { a: 1 } })
  })

  test('__proto__ and constructor are data', () => {
    const sent: unknown = JSON.parse(`{"__proto__":{"tid":"x"},"constructor":1,${JSON.stringify(task('t1')).slice(1)}`)
    const { extra } = read(contract.Task, sent).record
    expect(JSON.stringify(extra)).toBe('{"__proto__":{"tid":"x"},"constructor":1}')
    expect(Object.getPrototypeOf(extra)).toBe(Object.prototype)
  })

  test('fields of the prototype chain are none', () => {
    expect(() => read(contract.Task, Object.create(task('t1')))).toThrow('a Task without its key')
    const inherited = Object.assign(Object.create({ name: 'inherited' }), { ...task('t1'), name: undefined })
    delete inherited.name
    expect(read(contract.Task, inherited)).toMatchObject({
      record: { name: null },
      losses: [loss('name', 'left_out', null)],
    })
  })
})

describe('values of another type', () => {
  test.for([
    ['completed', '1', 1],
    ['completed', '0', 0],
    ['completed', true, 1],
    ['completed', 'false', 0],
    ['pos', '2.5', 2.5],
    ['pos', ' -1e3 ', -1000],
    ['name', 12, '12'],
    ['name', true, 'true'],
    ['entry_id', 12, '12'],
    ['entry_id', 2 ** 60, '1152921504606847000'],
  ] as const)('%s: %j is read as %j, and is a loss', ([field, sent, value]) => {
    const { record, losses } = readTask({ [field]: sent })
    expect(record[field]).toBe(value)
    expect(losses).toEqual([loss(field, 'coerced', JSON.stringify(sent))])
  })

  test.for([
    ['completed', 2],
    ['completed', 'yes'],
    ['completed', []],
    ['pos', 'first'],
    ['pos', '0x10'],
    ['pos', ''],
    ['pos', true],
    ['name', { text: 'x' }],
    ['name', ['x']],
    ['badges', 'none'],
    ['project', []],
  ] as const)('%s: %j cannot be read: null, and a loss', ([field, sent]) => {
    const { record, losses } = readTask({ [field]: sent })
    expect(record[field]).toBeNull()
    expect(losses).toEqual([loss(field, 'unreadable', JSON.stringify(sent))])
  })

  test('a number that JSON allows and no machine holds', () => {
    expect(readTask({ pos: JSON.parse('1e400') })).toMatchObject({
      record: { pos: null },
      losses: [{ original: '1e999' }],
    })
    expect(readTask({ pos: JSON.parse('-1e400') })).toMatchObject({ losses: [{ original: '-1e999' }] })
  })

  test('an undocumented enumeration value is accepted if it is a small number', () => {
    expect(read(contract.User, { ...user('u'), status: 99 }).losses).toEqual([])
    expect(read(contract.User, { ...user('u'), status: 70_000 }).losses).toEqual([
      loss('status', 'unreadable', '70000', 'u'),
    ])
    expect(read(contract.User, { ...user('u'), status: 1.5 }).losses).toEqual([
      loss('status', 'unreadable', '1.5', 'u'),
    ])
  })
})

describe('values that are not there', () => {
  test('the loss distinguishes null from a missing field', () => {
    const { record, losses } = readTask({
      name: null,
      desc: undefined,
      members: null,
      labels: undefined,
      project: null,
    })
    expect(record).toMatchObject({ name: null, desc: null, members: [], labels: [], project: null })
    expect(losses.toSorted((a, b) => a.field.localeCompare(b.field))).toEqual([
      loss('desc', 'left_out', null),
      loss('labels', 'left_out', null),
      loss('members', 'missing', 'null'),
      loss('name', 'missing', 'null'),
      loss('project', 'missing', 'null'),
    ])
  })

  test('what may be left out is no loss, also as null', () => {
    const event = {
      event_id: 'e',
      name: 'Meeting',
      summary: '',
      start: '2024-01-01T00:00:00.000Z',
      end: '2024-01-01T01:00:00.000Z',
      recurrence: 0,
      attendees: [],
      project: task('t').project,
    }
    expect(read(contract.Event, event)).toEqual({ record: event, losses: [] })
    expect(read(contract.Event, { ...event, location: null })).toEqual({
      record: { ...event, location: null },
      losses: [],
    })
    expect(read(contract.Event, { ...event, name: 1 }).losses).toEqual([
      loss('name', 'coerced', '1', 'e 2024-01-01T00:00:00.000Z'),
    ])
  })
})

describe('lists and nested records', () => {
  test('an element without its key is left out, and is a loss', () => {
    const sent = [user('u1'), { name: 'no id' }, null, 'u2', { ...user(''), uid: '' }, { ...user('u3'), status: '1' }]
    const { record, losses } = readTask({ members: sent })
    expect(record['members']).toEqual([user('u1'), user('u3')])
    expect(losses).toEqual([
      ...[1, 2, 3, 4].map((index) => loss(`members[${index}]`, 'unkeyed', JSON.stringify(sent[index]))),
      loss('members[5].status', 'coerced', '"1"'),
    ])
  })

  test('an element whose key is a number of 20 digits keeps them all', () => {
    const sent = parseExactJson('[{"uid":12345678901234567890},{"uid":1e21}]')
    const { record, losses } = readTask({ members: sent })
    expect(record['members']).toMatchObject([{ uid: '12345678901234567890' }, { uid: '1000000000000000000000' }])
    expect(losses.filter(({ kind }) => kind === 'coerced')).toEqual([
      loss('members[0].uid', 'coerced', '12345678901234567890'),
      loss('members[1].uid', 'coerced', '1e+21'),
    ])
  })

  test('an owner without a key is null, and is a loss with all of it', () => {
    const { record, losses } = read(contract.File, { ...file('f1'), owner: { name: 'no id' } })
    expect(record['owner']).toBeNull()
    expect(losses).toEqual([loss('owner', 'unreadable', '{"name":"no id"}', 'f1')])
  })

  test('something else in place of a list is an empty list, and is a loss', () => {
    const { record, losses } = readTask({ members: { u1: user('u1') }, labels: 'red' })
    expect(record).toMatchObject({ members: [], labels: [] })
    expect(losses.map(({ field, kind }) => `${field} ${kind}`).sort()).toEqual([
      'labels unreadable',
      'members unreadable',
    ])
  })

  test('ids in a list: numbers are read, anything else is left out', () => {
    const times = { created_at: '', raw_message: '', message: '' }
    const comment = { cid: 'c', type: 1, format: 1, owner: user('u'), files: [], ...times, fids: ['f1', 2, null, {}] }
    const { record, losses } = read(contract.Comment, comment)
    expect(record['fids']).toEqual(['f1', '2'])
    expect(losses).toEqual([
      loss('fids[1]', 'coerced', '2', 'c'),
      loss('fids[2]', 'unreadable', 'null', 'c'),
      loss('fids[3]', 'unreadable', '{}', 'c'),
    ])
  })
})

test.for([
  [contract.File, { ...file('f'), type: 0 }, { ...file('f'), type: 0 }],
  [contract.File, { ...file('f'), type: '1' }, { ...file('f'), type: 1 }],
  [contract.Success, { success: true }, { success: true }],
  [contract.Success, { success: 'true' }, { success: true }],
  [contract.Success, { success: 'false' }, { success: false }],
] as const)('documented oddities of a %o are no loss: %j', ([resource, sent, record]) => {
  expect(read(resource, sent)).toEqual({ record, losses: [] })
})

test('other spellings of success are one', () => {
  const losses = [{ kind: 'coerced' }]
  expect(read(contract.Success, { success: 1 })).toMatchObject({ record: { success: true }, losses })
})

describe('a record without a key fails the whole answer', () => {
  test.for([
    [null, 'wrong_type', 'null in place of a Task'],
    ['t1', 'wrong_type', 'a string in place of a Task'],
    [[task('t1')], 'wrong_type', 'an array in place of a Task'],
    [{}, 'unkeyed', 'a Task without its key (tid)'],
    [{ ...task('t1'), tid: null }, 'unkeyed', 'a Task without its key (tid)'],
    [{ ...task('t1'), tid: '' }, 'unkeyed', 'a Task without its key (tid)'],
    [{ ...task('t1'), tid: true }, 'unkeyed', 'a Task without its key (tid)'],
  ] as const)('%j', ([value, problem, what]) => {
    let error: unknown
    try {
      read(contract.Task, value)
    } catch (thrown) {
      error = thrown
    }
    expect(isDecodeError(error, problem)).toBe(true)
    expect(error).toMatchObject({ element: 7, message: expect.stringContaining(what) })
  })

  test('a number as its key is read', () => {
    expect(read(contract.Task, { ...task(''), tid: 12 })).toMatchObject({
      record: { tid: '12' },
      losses: [loss('tid', 'coerced', '12', '12')],
    })
  })

  test('every part of a key is needed', () => {
    expect(() => read(contract.Event, { event_id: 'e' })).toThrow('a Event without its key (event_id, start)')
    expect(() => read(contract.ProjectListItem, { ...project('p'), pid: undefined })).toThrow('without its key (pid)')
  })
})
