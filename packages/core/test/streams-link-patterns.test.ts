import { expect, test } from 'vitest'
import { parseLinkPatterns } from '../src/index.ts'

test('a form of link is a kind and a regular expression', () => {
  expect(parseLinkPatterns([{ kind: 'post', pattern: 'topic-(?<id>\\d+)' }])).toEqual([
    { kind: 'post', pattern: /topic-(?<id>\d+)/gu },
  ])
})

test.each([
  ['all', /must be a list/],
  [['x'], /entry 1 must have kind and pattern/],
  [[{ kind: 'task', pattern: '(?<id>x)' }], /entry 1: kind must be one of post, page, file/],
  [[{ kind: 'post', pattern: 'x' }], /must be a regular expression with a group \(\?<id>…\)/],
  [[{ kind: 'post', pattern: '(?<id>x' }], /pattern is no regular expression/],
])('%j is refused', (value, says) => {
  expect(() => parseLinkPatterns(value)).toThrow(says)
})
