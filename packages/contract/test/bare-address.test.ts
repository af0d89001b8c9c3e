import { expect, test } from 'vitest'
import { bareAddressEnd } from '../src/bare-address.ts'

test.each([
  ['https://h.co/pages/1', '，费用为300元'],
  ['https://h.co/pages/1', '请看'],
  ['https://h.co/pages/1#top', '请看'],
  ['https://h.co/pages/1#第二章', '。'],
  ['https://h.co/文档/pages/1?q=中文', '（见附件）'],
  ['https://h.co/Café/pages/é', '”'],
  ['http://例子.co/pages/1', 'ひらがな'],
  ['https://h.co/pages/1?a=b&c=%20(d);~', ' f'],
  ['http://[::1]:3000/pages/1', ']'],
  ['https://h.co/pages/1', '[注]'],
  ['https://h.co/pages/1', '\u200b'],
  ['https://h.co/pages/1', '😀'],
  ['https://h.co/pages/1', '１'],
  ['https://h.co/pages/1', '"x'],
  ['https://h.co/pages/1)', '请看'],
  ['https://h.co/pages/1#1-概述', ''],
  ['https://h.co/pages/1', ''],
])('a bare address ends: %s before %j', (address, behind) => {
  expect(bareAddressEnd(address + behind)).toBe(address.length)
})
