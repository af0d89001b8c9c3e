import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAssumption } from '../src/restore/assume.ts'
import { differencesOfAnswer, differencesOfRecord, sentFields } from '../src/restore/difference.ts'

describe('a difference', () => {
  const page = { pid: 'P', name: 'Name', under: 'above', text: 'one\r\ntwo ' }

  test.each([
    ['name', 'Na', 'cut short after 2 of 4 characters'],
    ['name', 'Nam\u0065\u0301', 'another value'],
    ['content', 'one\ntwo ', 'other line endings'],
    ['content', 'one\r\ntwo', 'other white space around it'],
    ['content', 'one two ', 'other white space'],
    ['content', '', 'empty'],
    ['content', null, 'missing'],
    ['parent_id', '', 'empty'],
    ['pid', 'Q', 'another value'],
  ])('in %s: %j is called %s', (field, value, how) => {
    const record = { pid: 'P', name: 'Name', parent_id: 'above', content: page.text, [field]: value }
    expect(differencesOfRecord(sentFields('page', page), record)).toMatchObject([{ field, how }])
  })

  test('is not found for the same record with a null parent, or without content in the answer', () => {
    const same = { pid: 'P', name: 'Name', parent_id: null, summary: 'x' }
    expect(differencesOfAnswer('page', sentFields('page', { ...page, under: '' }), same)).toEqual([])
  })

  test('is found for any two different texts', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (a, b) => {
        const found = differencesOfRecord(sentFields('comment', { ...page, text: a }), { message: b })
        expect(found.length).toBe(a === b ? 0 : 1)
      }),
    )
  })
})

test.each([
  ['created:N1', { call: null, created: true, newId: 'N1' }],
  ['page:a=b:c=created:x=y', { call: { kind: 'page', id: 'a=b:c' }, created: true, newId: 'x=y' }],
  ['comment:T1=not-created', { call: { kind: 'comment', id: 'T1' }, created: false, newId: null }],
  ['post:N1=created', { call: { kind: 'post', id: 'N1' }, created: true, newId: null }],
])('--assume %j', (text, expected) => {
  expect(parseAssumption(text)).toEqual({ ...expected, text })
})

test.each(['', 'perhaps', 'created:', 'not-created:x', 'file:1=created:2', 'page:=not-created'])(
  '--assume %j is refused',
  (text) => {
    expect(() => parseAssumption(text)).toThrow(expect.objectContaining({ exitCode: 2 }))
  },
)
