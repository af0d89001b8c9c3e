import { expect, test } from 'vitest'
import { ServiceLinks } from '../src/streams/service-links.ts'

const pattern = { kind: 'page' as const, pattern: /doc=(?<id>\w+)/u }
const links = new ServiceLinks([pattern], { baseUrl: 'https://h.co', hasProject: () => false })

test.each([
  ['https://h.co/pages/1#top', '#top'],
  ['/pages/1#第二章', '#第二章'],
  ['/pages/1?q=a#%E7%AC%AC a(b)', '#%E7%AC%AC a(b)'],
  ['/project/p#计划', '#计划'],
  ['https://h.co/?doc=x#部分', '#部分'],
  ['/pages/1#', ''],
  ['/pages/1', ''],
  ['/#/pages/1', ''],
  ['/pages/1#/pages/1', ''],
  ['/pages/1#/pages/2', ''],
])('the fragment to keep of %s: %j', (url, fragment) => {
  expect(links.recordOf(url, 'p')?.fragment).toBe(fragment)
})
