import { expect, test } from 'vitest'
import { parseAssumption } from '../src/restore/assume.ts'

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
